"""The sign test by hand, and sacreBLEU's tests as sacreBLEU's own command runs them."""

import math
import re
import sys

import pytest
from conftest import run_command

from fairseq_subword_ext.evaluation.significance import (
    SignCounts,
    compare_systems,
    count_signs,
    mark,
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
        (3, 3, 1.0),  # both tails hold the middle: more than 1 in sum
        (0, 0, 1.0),
    ],
)
def test_sign_test_by_hand(better, worse, p):
    assert sign_test(better, worse) == p


def test_sign_test_of_many_sentences():
    # The definition, term by term; and for more, the normal curve with its half-step correction.
    tail = sum(math.comb(701, k) for k in range(331))
    assert sign_test(371, 330) == pytest.approx(2 * tail / 2**701, rel=1e-12)
    for better, worse in ((3500, 3250), (20_000, 20_400)):
        steps = (abs(better - worse) - 1) / math.sqrt(better + worse)
        normal = math.erfc(steps / math.sqrt(2))
        assert sign_test(better, worse) == pytest.approx(normal, rel=0.01)
    assert sign_test(900, 1) == 2 * 902 / 2**901


def test_marks_as_in_the_paper():
    assert [mark(p, True) for p in (0.0099, 0.01, 0.0499, 0.05)] == ["++", "+", "+", ""]
    assert [mark(p, False) for p in (0.0099, 0.01, 0.05)] == ["--", "-", ""]
    assert mark(0.001, None) == ""


def test_ties_are_counted_apart():
    assert count_signs([1, 2, 3, 3], [0, 2, 4, 3]) == SignCounts(better=1, worse=1, equal=2)


def test_sentence_bleu_by_hand():
    # 4 of 5 unigrams, 3 of 4 bigrams, 2 of 3 trigrams, 1 of 2 four-grams.
    long = sentence_bleu(["a b c d e"], ["a b c d f"])
    assert long == [pytest.approx(100 * 0.2**0.25)]
    # Two words have no trigrams: 2 of 2 unigrams and 1 of 1 bigrams, and e^(1 - 3/2) for the length.
    assert sentence_bleu(["a b"], ["a b c"]) == [pytest.approx(100 * 2.718281828459045**-0.5)]
    # 1 of 2 unigrams; no bigram of 1, which smoothing takes as 1/2.
    assert sentence_bleu(["a b"], ["a c"]) == [pytest.approx(100 * (0.5 * 0.5) ** 0.5)]


REFERENCE = [f"sentence number {n} has a reference" for n in range(13)]
BASELINE = [f"sentence no {n} has a reference" for n in range(10)] + REFERENCE[10:]
# Better on nine sentences, worse on one, equal on three.
SYSTEM = [*REFERENCE[:9], "nothing right", *REFERENCE[10:]]


def test_sign_test_over_sentences():
    (found,) = compare_systems(
        ["sign"], {"old": BASELINE, "new": SYSTEM, "extra": BASELINE}, "extra", REFERENCE
    )[1:]
    assert (found.system, found.baseline, found.metric) == ("new", "extra", "BLEU")
    assert found.p == 2 * 11 / 1024
    assert (found.better, found.mark) == (True, "+")
    assert "better on 9 sentences, worse on 1, equal on 3" in found.details


def test_the_baseline_can_be_the_better_one():
    (found,) = compare_systems(["sign"], {"new": SYSTEM, "old": BASELINE}, "new", REFERENCE)
    assert (found.system, found.better, found.mark) == ("old", False, "-")


def test_a_system_equal_to_the_baseline_gets_no_mark():
    for found in compare_systems(["sign", "bootstrap"], {"a": SYSTEM, "b": SYSTEM}, "a", REFERENCE):
        assert (found.better, found.mark) == (None, "")


# Better on five sentences and worse on four, so that chance may well do it.
MIXED = [*REFERENCE[:5], *(f"sentence {n} has reference" for n in range(5, 9)), *BASELINE[9:]]


@pytest.mark.parametrize(("test", "flag"), [("bootstrap", "bs"), ("randomization", "ar")])
def test_resampling_is_that_of_the_sacrebleu_command(test, flag, tmp_path):
    for name, lines in (("ref", REFERENCE), ("old", BASELINE), ("new", MIXED)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    process = run_command(
        sys.executable, "-m", "sacrebleu", "ref", "-i", "old", "new", "-m", "bleu", "chrf",
        "--chrf-beta", 3, f"--paired-{flag}", "-f", "text", cwd=tmp_path,
    )  # fmt: skip
    printed = [float(p) for p in re.findall(r"p = ([0-9.]+)", process.stdout)]
    found = compare_systems([test], {"old": BASELINE, "new": MIXED}, "old", REFERENCE)
    assert [result.metric for result in found] == ["BLEU", "chrF3", "chrF"]
    assert [result.p for result in found[:2]] == pytest.approx(printed, abs=5e-5)
    assert all(result.p > 0.05 and not result.mark for result in found)
    assert f"|{flag}:" in found[0].details
    assert "|seed:12345|" in found[0].details
