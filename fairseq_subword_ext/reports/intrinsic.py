"""Measures of a segmentation that need no model: how evenly it uses tokens, and how it treats languages.

Rényi entropy and efficiency, and percentile frequency, follow Zouhar et al. 2023 (Tokenization and the
Noiseless Channel, ACL), who find that the efficiency of order 2.5 correlates with BLEU. Tokens relative
to English are the premiums of Petrov et al. 2023 (Language Model Tokenizers Introduce Unfairness Between
Languages, NeurIPS). Foroutan et al. 2025 (Parity-Aware Byte-Pair Encoding) use the Gini coefficient of a
segmentation's cost per language.
"""

import math
from typing import Mapping, NamedTuple, Optional, Sequence

# The order of the entropy, as chosen by Zouhar et al.
ALPHA = 2.5

# Percentiles of the types, sorted by falling frequency, as chosen by Zouhar et al.
PERCENTILES = (0.03, 0.83)


class Evenness(NamedTuple):
    """How evenly a text uses its types.

    Attributes:
        renyi_entropy: in bits; None if there are no tokens.
        renyi_efficiency: the entropy divided by that of equally many, equally frequent types; None if
            there are fewer than two types.
        percentile_frequency: the share of tokens whose types are neither among the most nor among the
            least frequent ones; None if there are no tokens.
    """

    renyi_entropy: Optional[float]
    renyi_efficiency: Optional[float]
    percentile_frequency: Optional[float]


def evenness(tokens: Mapping[str, int]) -> Evenness:
    """Measures the distribution of a text's tokens.

    Args:
        tokens: token -> count. The vocabulary is the types of the text; dictionary entries that do not
            occur in it are ignored.
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
        counts: counts of the types, at least one.
        alpha: the order; must not be 1 (the limit there is Shannon's entropy).
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
        counts: counts of the types, in falling order.
        start, end: the shares of the types where the middle begins and ends. It has at least one type
            if there are two or more.
    """
    last = len(counts) - 1
    first, after = (min(int(len(counts) * share), last) for share in (start, end))
    if first == after:
        first = max(0, first - 1)
    if first == after:
        after = min(last, after + 1)
    return sum(counts[first:after]) / sum(counts)


def gini(costs: Sequence[float]) -> Optional[float]:
    """The Gini coefficient: 0 if all costs are equal, near 1 if one is nearly the whole sum.

    It is half the mean absolute difference over all ordered pairs of costs, including a cost with
    itself, relative to the mean cost.

    Args:
        costs: non-negative costs.

    Returns:
        The coefficient; None if there are no costs, or all are 0.
    """
    count, total = len(costs), math.fsum(costs)
    if not total:
        return None
    # The k-th of the sorted costs is the larger one in k - 1 pairs and the smaller one in count - k.
    differences = math.fsum((2 * k - count + 1) * cost for k, cost in enumerate(sorted(costs)))
    return differences / (count * total)
