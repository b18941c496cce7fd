"""Unigram F1 by frequency rank: Sennrich, Haddow & Birch 2016, Figures 2 and 3.

The x-axis of the figures is the logarithm of a word's rank in the target side's training text. The paper
does not say how it groups ranks; here, group k has ranks 2^k to 2^(k+1) - 1, and words that do not occur
in the training text form their own group.
"""

from typing import Any, Dict, List, Mapping

from fairseq_subword_ext.evaluation.word_f1 import UnigramMatch, WordMatches

_OOV = -1


def rank_matches(matches: WordMatches, ranks: Mapping[str, int]) -> List[Dict[str, Any]]:
    """Sums the matches of each group of ranks.

    Args:
        matches: the result of :func:`.count_matches`.
        ranks: the result of :func:`.frequency_ranks`.

    Returns:
        For each group in which either side has a word, ordered by rank with OOV words last: the
        ``first`` and ``last`` rank (None for OOV words), and the fields of
        :class:`~fairseq_subword_ext.evaluation.word_f1.UnigramMatch`.
    """
    sums: Dict[int, List[int]] = {}
    for index, counts in enumerate(matches):
        for word, count in counts.items():
            group = ranks[word].bit_length() - 1 if word in ranks else _OOV
            sums.setdefault(group, [0, 0, 0])[index] += count
    groups = sorted(sums, key=lambda group: (group == _OOV, group))
    return [{**_bounds(group), **UnigramMatch(*sums[group]).to_dict()} for group in groups]


def _bounds(group: int) -> Dict[str, Any]:
    if group == _OOV:
        return {"first": None, "last": None}
    return {"first": 1 << group, "last": (1 << (group + 1)) - 1}
