"""Tests whether one system is significantly better than another.

Paired bootstrap resampling and approximate randomization come from sacreBLEU (seed SACREBLEU_SEED, or
12345), the sign tests from :mod:`~fairseq_subword_ext.evaluation.sign_tests`. The marks are those of
Wu & Zhao 2018: ``++`` at p < 0.01 and ``+`` at p < 0.05.
"""

from typing import Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from sacrebleu.metrics.base import Metric
from sacrebleu.significance import PairedTest

from fairseq_subword_ext.evaluation.corpus_scores import metric_makers
from fairseq_subword_ext.evaluation.line_scores import LineMetric
from fairseq_subword_ext.evaluation.sacrebleu_adapter import (
    MeanOfLines,
    make_bleu,
    sentence_statistics,
)
from fairseq_subword_ext.evaluation.score_record import BLEU, SignificanceRecord, shown_digits
from fairseq_subword_ext.evaluation.sign_tests import (
    SignCounts,
    count_signs,
    replacement_signs,
    sentence_bleu,
    sign_test,
)
from fairseq_subword_ext.evaluation.words import DEFAULT_TOKENIZER

BOOTSTRAP, RANDOMIZATION = "bootstrap", "randomization"
SIGN, SIGN_CORPUS = "sign", "sign-corpus"
SIGN_TESTS = (SIGN, SIGN_CORPUS)
TESTS = (*SIGN_TESTS, BOOTSTRAP, RANDOMIZATION)

_SACREBLEU_TESTS = {BOOTSTRAP: "bs", RANDOMIZATION: "ar"}

# sacreBLEU keeps all samples of all sentences, and all n-grams of the reference, in memory.
MANY_SENTENCES = 20_000
KILOBYTES_A_SENTENCE = 120


class Compared(NamedTuple):
    """The systems to compare.

    Attributes:
        systems: lines by system name, the baseline first.
        baseline: name of the baseline.
        reference: the raw reference lines.
        tokenizer: tokenizer for BLEU.
        line_metrics: line scores from other tools.
    """

    systems: Mapping[str, Sequence[str]]
    baseline: str
    reference: Sequence[str]
    tokenizer: str
    line_metrics: Sequence[LineMetric]

    def record(
        self, test: str, metric: str, system: str, p: float, difference: float, details: str
    ) -> SignificanceRecord:
        """One result; ``difference`` is positive if the system is better."""
        better = None if difference == 0 else difference > 0
        return SignificanceRecord(
            test, metric, system, self.baseline, p, better, mark(p, better), details
        )


def mark(p: float, better: Optional[bool]) -> str:
    """``++`` or ``+`` (Wu & Zhao 2018, Tables 2 and 3), or ``--`` or ``-`` if the system is worse."""
    if better is None or p >= 0.05:
        return ""
    return ("+" if better else "-") * (2 if p < 0.01 else 1)


def compare_systems(
    tests: Sequence[str],
    systems: Mapping[str, Sequence[str]],
    baseline: str,
    reference: Sequence[str],
    tokenizer: str = DEFAULT_TOKENIZER,
    line_metrics: Sequence[LineMetric] = (),
) -> List[SignificanceRecord]:
    """Compares every system with the baseline.

    Args:
        tests: a subset of :data:`TESTS`.
        systems: lines by system name, including the baseline.
        baseline: name of the baseline.
        reference: the raw reference lines.
        tokenizer: tokenizer for BLEU.
        line_metrics: more scores; a metric is skipped for systems that, or if the baseline, has no
            scores of it.

    Returns:
        For bootstrap and randomization one result per system and metric; for the sign tests, for each
        system, one for BLEU and one for each of ``line_metrics``.

    Raises:
        ValueError: If the tokenizer lacks a package or a model.
    """
    ordered = {baseline: systems[baseline], **systems}
    compared = Compared(ordered, baseline, reference, tokenizer, line_metrics)
    found: List[SignificanceRecord] = []
    for test in dict.fromkeys(tests):
        found += (_by_signs if test in SIGN_TESTS else _by_samples)(test, compared)
    return found


def _by_signs(test: str, compared: Compared) -> Iterator[SignificanceRecord]:
    for metric, system, signs, what in _all_signs(test, compared):
        p = sign_test(signs.better, signs.worse)
        details = (
            f"{what}; better on {signs.better} sentences, worse on {signs.worse}, equal on "
            f"{signs.equal}"
        )
        yield compared.record(test, metric, system, p, signs.better - signs.worse, details)


def _all_signs(test: str, compared: Compared) -> Iterator[Tuple[str, str, SignCounts, str]]:
    """Yields the metric, the system, its counts and a description of the comparison."""
    bleu_signs = _sentence_signs if test == SIGN else _corpus_signs
    for system, signs, what in bleu_signs(compared):
        yield BLEU, system, signs, what
    for metric in compared.line_metrics:
        # Replacing a line moves the mean in the direction of its own score, so both tests are equal.
        for system, goodness, baseline in _line_pairs(metric, compared):
            yield metric.name, system, count_signs(goodness, baseline), "line scores"


def _sentence_signs(compared: Compared) -> Iterator[Tuple[str, SignCounts, str]]:
    what = f"sentence BLEU, tok:{compared.tokenizer}, smooth:exp, eff:yes"
    scores = {
        name: sentence_bleu(lines, compared.reference, compared.tokenizer)
        for name, lines in compared.systems.items()
    }
    baseline = scores.pop(compared.baseline)
    for name, system in scores.items():
        yield name, count_signs(system, baseline), what


def _corpus_signs(compared: Compared) -> Iterator[Tuple[str, SignCounts, str]]:
    metric = make_bleu(compared.tokenizer, references=[list(compared.reference[:1])])
    what = f"corpus BLEU with one sentence replaced, {metric.get_signature()}"
    baseline, *others = sentence_statistics(
        metric, list(compared.systems.values()), compared.reference
    )
    _, *names = compared.systems
    for name, system in zip(names, others):
        yield name, replacement_signs(metric, system, baseline), what


def _by_samples(test: str, compared: Compared) -> Iterator[SignificanceRecord]:
    for name, make in metric_makers(compared.tokenizer).items():
        # Created here, one at a time, since each keeps all n-grams of the reference.
        metric = make(references=[list(compared.reference)])
        yield from _sampled(test, name, metric, compared, compared.systems, 1)
    for line_metric in compared.line_metrics:
        pairs = list(_line_pairs(line_metric, compared))
        if pairs:
            scores = {compared.baseline: pairs[0][2], **{name: good for name, good, _ in pairs}}
            sign = -1 if line_metric.lower_is_better else 1
            metric = MeanOfLines(line_metric.name)
            yield from _sampled(test, line_metric.name, metric, compared, scores, sign)


def _sampled(
    test: str,
    name: str,
    metric: Metric,
    compared: Compared,
    lines: Mapping[str, Sequence],
    sign: int,
) -> Iterator[SignificanceRecord]:
    """One metric's results.

    Args:
        test, name, metric, compared: as elsewhere.
        lines: the metric's input by system name, the baseline first.
        sign: displayed scores are multiplied by it.
    """
    signatures, results = PairedTest(
        [(system, list(its_lines)) for system, its_lines in lines.items()],
        {name: metric},
        None,  # the metric already has the reference
        test_type=_SACREBLEU_TESTS[test],
    )()
    # sacreBLEU uses its own names of metrics, such as "chrF2".
    (own_name, signature), *_ = signatures.items()
    baseline, *others = results[own_name]
    digits = shown_digits(name)
    for system, result in zip(list(lines)[1:], others):
        details = str(signature)
        if result.ci is not None:
            details += (
                f"; 95 % of the resampled scores lie in {sign * result.mean:.{digits}f} ± "
                f"{result.ci:.{digits}f}"
            )
        difference = result.score - baseline.score
        yield compared.record(test, name, system, float(result.p_value), difference, details)


def _line_pairs(
    metric: LineMetric, compared: Compared
) -> Iterator[Tuple[str, List[float], List[float]]]:
    """Yields each system with its scores and the baseline's, if both have any; higher is better."""
    if compared.baseline not in metric.scores:
        return
    baseline = metric.goodness(compared.baseline)
    for name in compared.systems:
        if name != compared.baseline and name in metric.scores:
            yield name, metric.goodness(name), baseline
