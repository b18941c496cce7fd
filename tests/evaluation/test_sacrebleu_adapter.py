"""Results from sacreBLEU's private functions equal those of its public ones."""

import random
import re

import pytest
import sacrebleu
from conftest import ROOT
from packaging.specifiers import SpecifierSet
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from fairseq_subword_ext.evaluation import sacrebleu_adapter
from fairseq_subword_ext.evaluation.sacrebleu_adapter import (
    MeanOfLines,
    make_bleu,
    score_of,
    sentence_statistics,
)

WORDS = ["a", "low", "lower,", "newest.", "ü", "", "0.5"]


def random_lines(chance, sentences):
    return [" ".join(chance.choices(WORDS, k=chance.randint(0, 9))) for _ in range(sentences)]


@pytest.mark.parametrize("sentences", [1, 29, 30, 31, 64])
@pytest.mark.parametrize("metric", [BLEU(), CHRF(), CHRF(beta=3)], ids=["BLEU", "chrF", "chrF3"])
def test_parts_make_no_difference(sentences, metric, monkeypatch):
    monkeypatch.setattr(sacrebleu_adapter, "_SENTENCES_AT_A_TIME", 30)
    chance = random.Random(sentences)
    reference, *systems = (random_lines(chance, sentences) for _ in range(3))
    found = sentence_statistics(metric, systems, reference)
    signature = str(metric.get_signature())
    for lines, statistics in zip(systems, found):
        assert len(statistics) == sentences
        expected = metric.corpus_score(lines, [reference])
        assert score_of(metric, statistics) == pytest.approx(expected.score, abs=1e-9)
    assert signature == str(metric.get_signature())


def test_statistics_of_sentences_add_up():
    """The score of summed statistics is the score of the sentences."""
    chance = random.Random(1)
    reference, lines = (random_lines(chance, 20) for _ in range(2))
    metric = make_bleu("13a")
    (statistics,) = sentence_statistics(metric, [lines], reference)
    total = [sum(column) for column in zip(*statistics)]
    assert score_of(metric, [total]) == BLEU().corpus_score(lines, [reference]).score


@pytest.mark.parametrize("kind", ["bs", "ar"])
def test_the_mean_of_lines_in_a_paired_test(kind):
    """Line scores of 0 and 100 equal BLEU for lines that match in nothing or everything."""
    chance = random.Random(2)
    right = [[chance.random() < share for _ in range(60)] for share in (0.5, 0.7)]
    names = ("old", "new")
    signatures, results = PairedTest(
        [(name, [100.0 * r for r in row]) for name, row in zip(names, right)],
        {"COMET": MeanOfLines("COMET")}, None, test_type=kind,
    )()  # fmt: skip
    by_text = PairedTest(
        [(name, ["a b c d" if r else "e f g h" for r in row]) for name, row in zip(names, right)],
        {"BLEU": BLEU(smooth_method="none")}, [["a b c d"] * 60], test_type=kind,
    )()[1]  # fmt: skip
    for ours, theirs in zip(results["COMET"], by_text["BLEU"]):
        assert ours.score == pytest.approx(theirs.score)
        assert ours.p_value == theirs.p_value
    trials = {"bs": 1000, "ar": 10000}[kind]
    assert str(signatures["COMET"]) == (
        f"{kind}:{trials}|seed:12345|score:mean-of-lines|version:{sacrebleu.__version__}"
    )


def test_the_version_is_bounded():
    """Raise the upper bound once the tests above pass with a new release."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (bound,) = re.findall(r'"sacrebleu(>=[0-9.]+,<[0-9.]+)"', project)
    assert sacrebleu.__version__ in SpecifierSet(bound)
