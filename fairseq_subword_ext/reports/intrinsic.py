"""Measures of a segmentation that need no model: how evenly it uses its tokens, and its languages.

Rényi entropy and efficiency, and percentile frequency, are those of Zouhar et al. 2023 (Tokenization and
the Noiseless Channel, ACL), who find that the efficiency of order 2.5 goes along with BLEU. Tokens
relative to English are the premiums of Petrov et al. 2023 (Language Model Tokenizers Introduce
Unfairness Between Languages, NeurIPS). The Gini coefficient of a segmentation's cost per language is
used by Foroutan et al. 2025 (Parity-Aware Byte-Pair Encoding).
"""

import math
from typing import Mapping, NamedTuple, Optional, Sequence

# The order of the entropy: Zouhar et al.'s choice.
ALPHA = 2.5

# Types between these shares of the vocabulary, from the most frequent type on: Zouhar et al.'s choice.
PERCENTILES = (0.03, 0.83)


class Evenness(NamedTuple):
    """How evenly a text uses its types.

    Attributes:
        renyi_entropy: in bits; None where there are no tokens.
        renyi_efficiency: the entropy, divided by that of as many types that are equally frequent;
            None where there are fewer than two types.
        percentile_frequency: the share of tokens whose types are neither among the most nor among
            the least frequent ones; None where there are no tokens.
    """

    renyi_entropy: Optional[float]
    renyi_efficiency: Optional[float]
    percentile_frequency: Optional[float]


def evenness(tokens: Mapping[str, int]) -> Evenness:
    """Measures the distribution of a text's tokens.

    Args:
        tokens: token -> how often. The types of the text are the vocabulary: entries of a dictionary
            that do not occur do not count.
    """
    counts = sorted(tokens.values(), reverse=True)
    if not counts:
        return Evenness(None, None, None)
    entropy = renyi_entropy(counts)
    efficiency = entropy / math.log2(len(counts)) if len(counts) > 1 else None
    return Evenness(entropy, efficiency, percentile_frequency(counts))


def renyi_entropy(counts: Sequence[int], alpha: float = ALPHA) -> float:
    """log2 of the sum of p^alpha over all types, divided by 1 - alpha.

    Args:
        counts: of the types, at least one.
        alpha: the order; not 1, for which the entropy is Shannon's.
    """
    total = sum(counts)
    moment = math.fsum((count / total) ** alpha for count in counts)
    # Adding 0.0 turns the -0.0 of a single type into 0.0.
    return math.log2(moment) / (1 - alpha) + 0.0


def percentile_frequency(
    counts: Sequence[int], start: float = PERCENTILES[0], end: float = PERCENTILES[1]
) -> float:
    """The share of tokens whose types are in the middle of the vocabulary.

    Args:
        counts: of the types, falling.
        start, end: shares of the types at which the middle begins and ends. Of two types or more, it
            has at least one.
    """
    last = len(counts) - 1
    first, after = (min(int(len(counts) * share), last) for share in (start, end))
    if first == after:
        first = max(0, first - 1)
    if first == after:
        after = min(last, after + 1)
    return sum(counts[first:after]) / sum(counts)


def gini(costs: Sequence[float]) -> Optional[float]:
    """The Gini coefficient: 0 where all costs are equal, near 1 where one has nearly all.

    It is half the mean difference between two costs, each pair counted in both orders and each cost
    with itself, relative to the mean cost.

    Args:
        costs: not negative.

    Returns:
        None where there are no costs, or all are 0.
    """
    count, total = len(costs), math.fsum(costs)
    if not total:
        return None
    # Of the sorted costs, the k-th is the larger one of k - 1 pairs and the smaller one of count - k.
    differences = math.fsum((2 * k - count + 1) * cost for k, cost in enumerate(sorted(costs)))
    return differences / (count * total)
