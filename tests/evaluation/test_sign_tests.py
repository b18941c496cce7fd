"""The sign tests, checked by hand and by their definitions."""

import math
import random

import pytest
from sacrebleu.metrics import BLEU

from fairseq_subword_ext.evaluation.sacrebleu_adapter import make_bleu, sentence_statistics
from fairseq_subword_ext.evaluation.sign_tests import (
    SignCounts,
    count_signs,
    replacement_signs,
    sentence_bleu,
    sign_test,
)


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [
        (8, 2, 2 * (1 + 10 + 45) / 1024),
        (2, 8, 2 * (1 + 10 + 45) / 1024),
        (10, 0, 2 / 1024),
        (9, 1, 2 * 11 / 1024),
        (5, 4, 1.0),
        (3, 3, 1.0),  # both tails include the middle, so their sum exceeds 1
        (0, 0, 1.0),
    ],
)
def test_sign_test_by_hand(better, worse, p):
    assert sign_test(better, worse) == p


def test_sign_test_of_many_sentences():
    # The definition, term by term; for larger numbers, the normal approximation with continuity correction.
    tail = sum(math.comb(701, k) for k in range(331))
    assert sign_test(371, 330) == pytest.approx(2 * tail / 2**701, rel=1e-12)
    for better, worse in ((3500, 3250), (20_000, 20_400)):
        steps = (abs(better - worse) - 1) / math.sqrt(better + worse)
        normal = math.erfc(steps / math.sqrt(2))
        assert sign_test(better, worse) == pytest.approx(normal, rel=0.01)
    assert sign_test(900, 1) == 2 * 902 / 2**901


def test_ties_are_counted_apart():
    assert count_signs([1, 2, 3, 3], [0, 2, 4, 3]) == SignCounts(better=1, worse=1, equal=2)


def test_sentence_bleu_by_hand():
    # 4 of 5 unigrams, 3 of 4 bigrams, 2 of 3 trigrams, 1 of 2 four-grams.
    long = sentence_bleu(["a b c d e"], ["a b c d f"])
    assert long == [pytest.approx(100 * 0.2**0.25)]
    # Two words have no trigrams: 2 of 2 unigrams and 1 of 1 bigrams, and e^(1 - 3/2) for the length.
    assert sentence_bleu(["a b"], ["a b c"]) == [pytest.approx(100 * 2.718281828459045**-0.5)]
    # 1 of 2 unigrams; 0 of 1 bigrams, smoothed to 1/2.
    assert sentence_bleu(["a b"], ["a c"]) == [pytest.approx(100 * (0.5 * 0.5) ** 0.5)]


def replaced_by_definition(system, baseline, reference):
    """Collins et al. 2005: for each sentence, a corpus score computed from the whole text."""

    def score(lines):
        return BLEU(force=True).corpus_score(lines, [reference]).score

    unchanged = score(baseline)
    scores = [
        score([*baseline[:place], line, *baseline[place + 1 :]])
        for place, line in enumerate(system)
    ]
    return count_signs(scores, [unchanged] * len(scores))


@pytest.mark.parametrize("seed", range(6))
def test_replacing_one_sentence_after_the_other(seed):
    chance = random.Random(seed)
    words = ["a", "low", "lower,", "newest.", "ü", "0.5"]

    def changed(line, share):
        return " ".join(
            chance.choice(words) if chance.random() < share else w for w in line.split()
        )

    reference = [" ".join(chance.choices(words, k=chance.randint(0, 12))) for _ in range(80)]
    baseline = [changed(line, 0.3) for line in reference]
    system = [changed(line, 0.25) for line in reference]
    metric = make_bleu("13a")
    found = replacement_signs(metric, *sentence_statistics(metric, [system, baseline], reference))
    assert found == replaced_by_definition(system, baseline, reference)
    assert min(found) > 0


def test_corpus_bleu_and_sentence_bleu_disagree():
    """A short output may be better by itself, yet shorten a text that is already too short.

    By itself, "c d" has precisions of 1 and a brevity penalty of e^(1 - 4/2), 36.8 in all; "x y c d"
    has 2/4, 1/3, and smoothed 1/4 and 1/4, 31.9. With the first sentence, the text goes from 16 to 14
    words of 24: e^(1 - 24/16) (14/16 * 12/14 * 10/12 * 9/10)^(1/4) = 0.525 to e^(1 - 24/14) = 0.490.
    """
    words = [str(number) for number in range(20)]
    reference = [" ".join(words), "a b c d"]
    baseline = [" ".join(words[:12]), "x y c d"]
    system = [" ".join(words[:12]), "c d"]
    by_sentence = count_signs(sentence_bleu(system, reference), sentence_bleu(baseline, reference))
    metric = make_bleu("none")
    by_corpus = replacement_signs(
        metric, *sentence_statistics(metric, [system, baseline], reference)
    )
    assert by_sentence == SignCounts(better=1, worse=0, equal=1)
    assert by_corpus == SignCounts(better=0, worse=1, equal=1)
    assert by_corpus == replaced_by_definition(system, baseline, reference)
