"""Marks and results of the tests; sacreBLEU's tests are compared to its own command."""

import re
import sys

import pytest
from conftest import run_command

from fairseq_subword_ext.evaluation.line_scores import LineMetric
from fairseq_subword_ext.evaluation.significance import TESTS, compare_systems, mark


def test_marks_as_in_the_paper():
    assert [mark(p, True) for p in (0.0099, 0.01, 0.0499, 0.05)] == ["++", "+", "+", ""]
    assert [mark(p, False) for p in (0.0099, 0.01, 0.05)] == ["--", "-", ""]
    assert mark(0.001, None) == ""


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


def test_corpus_sign_test():
    """Here a sentence raises corpus BLEU exactly if it is better by itself."""
    found = compare_systems(["sign-corpus"], {"old": BASELINE, "new": SYSTEM}, "old", REFERENCE)
    (result,) = found
    assert (result.test, result.metric, result.system) == ("sign-corpus", "BLEU", "new")
    assert (result.p, result.mark) == (2 * 11 / 1024, "+")
    assert result.details.startswith("corpus BLEU with one sentence replaced, nrefs:1|case:mixed|")
    assert result.details.endswith("better on 9 sentences, worse on 1, equal on 3")


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("lower_is_better", [False, True])
def test_scores_of_other_tools(test, lower_is_better):
    """Of 13 lines 9 have a higher score and 1 a lower one; the third system has no scores."""
    old = [0.5] * 13
    new = [0.9] * 9 + [0.45] + [0.5] * 3
    metric = LineMetric("COMET", {"old": old, "new": new}, lower_is_better)
    systems = {"new": SYSTEM, "old": BASELINE, "third": SYSTEM}
    found = compare_systems([test], systems, "old", REFERENCE, line_metrics=[metric])
    (result,) = [result for result in found if result.metric == "COMET"]
    assert (result.system, result.better) == ("new", not lower_is_better)
    assert result.p < 0.05
    if test.startswith("sign"):
        assert result.p == 2 * 11 / 1024
        counts = (1, 9) if lower_is_better else (9, 1)
        assert "better on {} sentences, worse on {}, equal on 3".format(*counts) in result.details
    if test == "bootstrap":
        # The mean is (9 * 0.9 + 0.45 + 3 * 0.5) / 13 = 0.773.
        assert "|score:mean-of-lines|" in result.details
        assert "resampled scores lie in 0.77" in result.details
    # Without the baseline's scores there is nothing to compare with.
    only = LineMetric("COMET", {"new": new})
    found = compare_systems([test], systems, "old", REFERENCE, line_metrics=[only])
    assert {result.metric for result in found} <= {"BLEU", "chrF3", "chrF"}


def test_a_system_equal_to_the_baseline_gets_no_mark():
    for found in compare_systems(TESTS, {"a": SYSTEM, "b": SYSTEM}, "a", REFERENCE):
        assert (found.better, found.mark) == (None, "")


# Better on five sentences and worse on four, which is likely to be chance.
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
