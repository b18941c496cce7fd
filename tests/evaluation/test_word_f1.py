"""Unigram F1 by class of words, with values worked out by hand."""

import random

import pytest

from fairseq_subword_ext.evaluation.word_f1 import (
    CopyCount,
    UnigramMatch,
    copied_lines,
    copied_words,
    unigram_matches,
    word_classes,
)
from fairseq_subword_ext.evaluation.words import (
    SACREBLEU_TOKENIZERS,
    count_training_words,
    word_cutter,
)

REFERENCE = ["the cat sat on the mat".split(), "a zyx".split()]
SYSTEM = ["the the the cat".split(), "zyx zyx b".split()]
TRAINING = {"the": 5, "cat": 3, "sat": 2, "on": 2, "mat": 1, "a": 1}


def test_clipping_as_in_the_paper_on_bleu():
    # Papineni et al. 2002, section 2.1: the modified unigram precision of seven times "the" is 2/7.
    found = unigram_matches([["the"] * 7], [REFERENCE[0]], word_classes(None))["all"]
    assert (found.matched, found.system) == (2, 7)
    assert found.precision == pytest.approx(100 * 2 / 7)


def test_all_words():
    # Line 1: "the" counts twice, as often as the reference has it, and "cat" once; line 2: "zyx" once.
    found = unigram_matches(SYSTEM, REFERENCE, word_classes(None))
    assert found == {"all": UnigramMatch(matched=4, system=7, reference=8)}
    assert found["all"].precision == pytest.approx(100 * 4 / 7)
    assert found["all"].recall == 50
    assert found["all"].f1 == pytest.approx(100 * 8 / 15)  # 2 * 4/7 * 1/2 / (4/7 + 1/2)


def test_rare_words_are_outside_the_most_frequent_ones_and_include_the_unseen():
    found = unigram_matches(SYSTEM, REFERENCE, word_classes(TRAINING, rare_rank=2))
    # Rare in the reference: sat, on, mat, a, zyx; in the output: zyx, zyx, b.
    assert found["rare"] == UnigramMatch(matched=1, system=3, reference=5)
    assert found["rare"].f1 == 25
    # Unseen in the reference: zyx; in the output: zyx, zyx, b.
    assert found["oov"] == UnigramMatch(matched=1, system=3, reference=1)
    assert found["oov"].f1 == 50


def test_words_of_one_count_are_ranked_by_the_alphabet():
    # "on" and "sat" occur twice; rank 3 takes "on".
    rare = word_classes(dict(reversed(TRAINING.items())), rare_rank=3)["rare"]
    assert [word for word in TRAINING if rare(word)] == ["sat", "mat", "a"]


def test_matches_in_other_sentences_do_not_count():
    found = unigram_matches([["a"], ["b"]], [["b"], ["a"]], word_classes(None))
    assert found["all"].f1 == 0


def test_case_counts():
    assert unigram_matches([["The"]], [["the"]], word_classes(None))["all"].matched == 0


def test_no_word_of_the_class_at_all():
    found = UnigramMatch(matched=0, system=0, reference=0)
    assert (found.precision, found.recall, found.f1) == (None, None, None)


def test_no_word_of_the_class_on_one_side():
    assert UnigramMatch(matched=0, system=0, reference=3).f1 == 0
    assert UnigramMatch(matched=0, system=0, reference=3).precision is None
    assert UnigramMatch(matched=0, system=3, reference=0).recall is None


def test_rare_rank_below_zero_is_refused():
    with pytest.raises(ValueError, match="-1; expected 0 or more"):
        word_classes(TRAINING, -1)


def test_copied_words_are_clipped_by_the_source():
    source = ["le the zyx the".split(), "zyx zyx zyx b".split()]
    found = copied_words(SYSTEM, REFERENCE, source, word_classes(TRAINING, rare_rank=2))
    # Line 1: "the" twice, right both times; line 2: all three words, "zyx" right once.
    assert found["all"] == CopyCount(copied=5, correct=3, system=7)
    assert found["oov"] == CopyCount(copied=3, correct=1, system=3)


def test_copied_lines():
    assert copied_lines(["a b", " c ", "", "d"], ["a b", "c", "", "e"]) == 2


@pytest.mark.parametrize("tokenizer", SACREBLEU_TOKENIZERS)
def test_training_words_are_those_of_its_lines(tokenizer, tmp_path):
    randomly = random.Random(5)
    pieces = [*"aB9.,-$'\"(&…。中", "&quot;", "0.5", " ", " ", " ", "\u00a0"]
    lines = ["".join(randomly.choices(pieces, k=30)) for _ in range(2000)]
    path = tmp_path / "train"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    cut = word_cutter(tokenizer)
    expected = {}
    for line in lines:
        for word in cut(line):
            expected[word] = expected.get(word, 0) + 1
    assert count_training_words([str(path)], tokenizer) == expected
