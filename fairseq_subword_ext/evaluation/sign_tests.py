"""Sign tests, which count the sentences on which one system is better than another.

There are two common definitions of "better" for a sentence. Collins, Koehn & Kučerová 2005 (Clause
Restructuring for Statistical Machine Translation, ACL) take the baseline's output for the whole test
set, replace that one sentence, and see whether corpus BLEU rises. The other compares the two systems'
sentence-level BLEU. Wu & Zhao 2018 mark their tables by a sign test and, judging by the number of the
citation, cite Collins et al. for it.
"""

import math
from typing import Iterable, List, NamedTuple, Sequence

from sacrebleu.metrics.base import Metric

from fairseq_subword_ext.evaluation.sacrebleu_adapter import Statistics, make_bleu, score_of
from fairseq_subword_ext.evaluation.words import DEFAULT_TOKENIZER

# Corpus scores that differ by less are equal up to rounding: one n-gram in a hundred thousand changes a
# score by a relative 1e-6 or so.
_ROUNDING = 1e-12


class SignCounts(NamedTuple):
    """Numbers of sentences on which a system is better than, worse than, or equal to the baseline."""

    better: int
    worse: int
    equal: int


def sign_test(better: int, worse: int) -> float:
    """The two-sided p-value of the sign test, without ties.

    Under the null hypothesis, a differing sentence is better or worse with equal probability. The tails
    of the binomial distribution are summed exactly, in integers.

    Args:
        better, worse: numbers of sentences.

    Returns:
        The probability of a split at least as uneven as this one; 1 if nothing differs.
    """
    tosses = better + worse
    term, tail = 1, 1  # the binomial coefficient of k, and the sum up to it
    for k in range(1, min(better, worse) + 1):
        term = term * (tosses - k + 1) // k
        tail += term
    return min(1.0, 2 * tail / 2**tosses)


def count_signs(system: Iterable[float], baseline: Iterable[float]) -> SignCounts:
    """Counts the sentences on which the system scores higher, lower and the same."""
    signs = [(ours > theirs) - (ours < theirs) for ours, theirs in zip(system, baseline)]
    return SignCounts(signs.count(1), signs.count(-1), signs.count(0))


def sentence_bleu(
    lines: Sequence[str], reference: Sequence[str], tokenizer: str = DEFAULT_TOKENIZER
) -> List[float]:
    """BLEU of each single sentence, with sacreBLEU's default smoothing for sentences.

    This is exponential smoothing over the n-gram orders that the sentence is long enough for.

    Raises:
        ValueError: If the tokenizer lacks a package or a model.
    """
    metric = make_bleu(tokenizer, effective_order=True)
    return [metric.sentence_score(line, [right]).score for line, right in zip(lines, reference)]


def replacement_signs(
    metric: Metric, system: Sequence[Statistics], baseline: Sequence[Statistics]
) -> SignCounts:
    """Counts how often the baseline's corpus score rises or falls if one sentence is the system's.

    The statistics of a corpus are the sum of its sentences' statistics, so each replacement takes only a
    few additions; Collins et al. 2005 define just which scores are compared.

    Args:
        metric: BLEU.
        system, baseline: results of :func:`.sentence_statistics` for the same sentences.
    """
    total = [sum(column) for column in zip(*baseline)]
    unchanged = score_of(metric, [total])
    scores = []
    for ours, theirs in zip(system, baseline):
        replaced = [whole + new - old for whole, new, old in zip(total, ours, theirs)]
        score = score_of(metric, [replaced])
        same = math.isclose(score, unchanged, rel_tol=_ROUNDING)
        scores.append(unchanged if same else score)
    return count_signs(scores, [unchanged] * len(scores))
