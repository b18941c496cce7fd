"""Sign tests: on how many sentences one system is better than another.

Two ways to call a sentence better are in use. Collins, Koehn & Kučerová 2005 (Clause Restructuring for
Statistical Machine Translation, ACL) take the baseline's output of the whole test set, replace that one
sentence, and look whether corpus BLEU rises. The other way compares the two systems' sentence-level
BLEU. Wu & Zhao 2018 mark their tables by a sign test for which they cite, by its place in their list of
references, Collins et al.
"""

import math
from typing import Iterable, List, NamedTuple, Sequence

from sacrebleu.metrics.base import Metric

from fairseq_subword_ext.evaluation.sacrebleu_adapter import Statistics, make_bleu, score_of
from fairseq_subword_ext.evaluation.words import DEFAULT_TOKENIZER

# Two corpus scores that differ by less are equal but for rounding: one n-gram of a hundred thousand
# changes a score by some 1e-6 of it.
_ROUNDING = 1e-12


class SignCounts(NamedTuple):
    """Sentences on which a system is better than, worse than and equal to the baseline."""

    better: int
    worse: int
    equal: int


def sign_test(better: int, worse: int) -> float:
    """The two-sided p-value of the sign test; ties are left out beforehand.

    Under the null hypothesis a sentence that differs is better or worse by the toss of a coin. The
    binomial distribution's tails are summed exactly, in integers.

    Args:
        better, worse: numbers of sentences.

    Returns:
        The probability of a split at least as uneven as this one; 1 where nothing differs.
    """
    tosses = better + worse
    term, tail = 1, 1  # the binomial coefficient of k, and the sum up to it
    for k in range(1, min(better, worse) + 1):
        term = term * (tosses - k + 1) // k
        tail += term
    return min(1.0, 2 * tail / 2**tosses)


def count_signs(system: Iterable[float], baseline: Iterable[float]) -> SignCounts:
    """Counts on how many sentences the system scores higher, lower and the same."""
    signs = [(ours > theirs) - (ours < theirs) for ours, theirs in zip(system, baseline)]
    return SignCounts(signs.count(1), signs.count(-1), signs.count(0))


def sentence_bleu(
    lines: Sequence[str], reference: Sequence[str], tokenizer: str = DEFAULT_TOKENIZER
) -> List[float]:
    """BLEU of each sentence by itself, with sacreBLEU's usual smoothing for sentences.

    That is exponential smoothing over the orders that the sentence is long enough for.

    Raises:
        ValueError: If the tokenizer lacks a package or a model.
    """
    metric = make_bleu(tokenizer, effective_order=True)
    return [metric.sentence_score(line, [right]).score for line, right in zip(lines, reference)]


def replacement_signs(
    metric: Metric, system: Sequence[Statistics], baseline: Sequence[Statistics]
) -> SignCounts:
    """Counts whether the baseline's corpus score rises or falls as one sentence is the system's.

    A corpus's statistics are the sum of its sentences', so each replacement takes the same few
    additions; Collins et al. 2005 only say which scores are compared.

    Args:
        metric: BLEU.
        system, baseline: what :func:`.sentence_statistics` counted, as many sentences each.
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
