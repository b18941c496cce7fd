"""The reference implementation: learning and segmenting as the papers describe them, regardless of speed.

Every step of :func:`learn` scans the whole corpus again: this is Algorithm 1 of Wu & Zhao 2018 and
nothing else. The compiled core is tested against it, and the encoders fall back to :func:`segment` if
the core has not been built.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Set, Tuple, Union

import numpy as np

from fairseq_subword_ext.subword.borders import allows
from fairseq_subword_ext.subword.byte_text import SPACE_SYMBOL, bytes_to_symbols
from fairseq_subword_ext.subword.escaping import is_control
from fairseq_subword_ext.subword.goodness import Measure, PairStatistics, get_measure
from fairseq_subword_ext.subword.symbols import BYTE_VERSION, END_OF_WORD, SEPARATOR, unit_of

# The end-of-word marker inside this module. No text contains it, so it differs from a literal "</w>".
_END = "\udfff"

Pair = Tuple[str, str]


def base_symbols(word: str, version: str) -> List[str]:
    """Returns the symbols of a word before any merge, with the internal marker."""
    if version == BYTE_VERSION:
        return [SPACE_SYMBOL, *bytes_to_symbols(word.encode("utf-8"))]
    if version == "0.1":
        return [*word, _END]
    return [*word[:-1], word[-1] + _END]


def spell(symbol: str) -> str:
    """Returns a symbol as it is written in files and compared in ties."""
    return symbol.replace(_END, END_OF_WORD)


def replace_pair(symbols: List[str], pair: Pair) -> List[str]:
    """Replaces every occurrence of the pair with its concatenation, from left to right."""
    replaced: List[str] = []
    for symbol in symbols:
        if replaced and (replaced[-1], symbol) == pair:
            replaced[-1] += symbol  # longer than both symbols, so it does not match again
        else:
            replaced.append(symbol)
    return replaced


@dataclass
class _Occurrences:
    occ: int = 0
    types: Set[int] = field(default_factory=set)
    before: Set[Optional[str]] = field(default_factory=set)
    after: Set[Optional[str]] = field(default_factory=set)


def find_pairs(words: List[List[str]], frequencies: List[int]) -> Dict[Pair, _Occurrences]:
    """Finds all pairs and their occurrences, in order of first occurrence."""
    pairs: Dict[Pair, _Occurrences] = {}
    for number, (symbols, frequency) in enumerate(zip(words, frequencies)):
        bounded = [None, *symbols, None]
        for before, a, b, after in zip(bounded, bounded[1:], bounded[2:], bounded[3:]):
            found = pairs.setdefault((a, b), _Occurrences())
            found.occ += frequency
            found.types.add(number)
            found.before.add(before)
            found.after.add(after)
    return pairs


def statistics(
    pairs: Mapping[Pair, _Occurrences],
    words: List[List[str]],
    frequencies: List[int],
    weights: List[int],
    measure: Measure,
) -> PairStatistics:
    """Computes the statistics of the pairs; c, n and m use ``weights`` instead of f(w)."""
    counts: Counter = Counter()
    for symbols, weight in zip(words, weights):
        for symbol in symbols:
            counts[symbol] += weight

    def array(values: Iterable[int]) -> np.ndarray:
        return np.array(list(values), dtype=object if measure.native else np.float64)

    def replacements(pair: Pair, found: _Occurrences) -> int:
        made = (len(words[i]) - len(replace_pair(words[i], pair)) for i in found.types)
        return sum(weights[i] * number for i, number in zip(found.types, made))

    return PairStatistics(
        occ=array(found.occ for found in pairs.values()),
        types=array(len(found.types) for found in pairs.values()),
        wf=array(sum(frequencies[i] for i in found.types) for found in pairs.values()),
        L=array(len(found.before) for found in pairs.values()),
        R=array(len(found.after) for found in pairs.values()),
        c_a=array(counts[a] for a, _ in pairs),
        c_b=array(counts[b] for _, b in pairs),
        n=array([sum(counts.values())])[0],
        m=array(replacements(*item) for item in pairs.items()) if "m" in measure.reads else None,
        same=np.array([a == b for a, b in pairs]),
    )


def learn(
    word_counts: Mapping[str, int],
    num_merges: int,
    measure: Union[str, Measure] = "frequency",
    version: str = "0.2",
    min_frequency: int = 2,
    tie_break: str = "greatest",
    dlg_counts: str = "tokens",
    borders: str = "none",
) -> List[Pair]:
    """Algorithm 1 of Wu & Zhao 2018 with any goodness measure; see ``learn_bpe`` for the arguments.

    Returns:
        The merges, spelled as on disk; fewer than requested if no candidates are left.
    """
    measure = get_measure(measure)
    words = [base_symbols(word, version) for word in word_counts]
    frequencies = list(word_counts.values())
    weights = [1] * len(words) if dlg_counts == "types" else frequencies
    merges: List[Pair] = []
    while len(merges) < num_merges:
        pairs = find_pairs(words, frequencies)
        pairs = {p: found for p, found in pairs.items() if found.occ >= max(min_frequency, 1)}
        pairs = {p: found for p, found in pairs.items() if allows("".join(p), borders)}
        if not pairs:
            break
        stats = statistics(pairs, words, frequencies, weights, measure)
        scores = dict(zip(pairs, measure.score(stats)))
        highest = max(scores.values())
        best = [pair for pair in pairs if scores[pair] == highest]
        if tie_break != "first":
            best.sort(key=lambda p: (spell(p[0]), spell(p[1]), p), reverse=tie_break == "greatest")
        merges.append(best[0])
        words = [replace_pair(symbols, best[0]) for symbols in words]
    return [(spell(a), spell(b)) for a, b in merges]


class ReferenceRules:
    """A merge table prepared for segmenting; see ``Segmenter`` for the arguments."""

    def __init__(
        self,
        merges: Sequence[Pair],
        version: str = "0.2",
        separator: str = SEPARATOR,
        vocabulary: Optional[Collection[str]] = None,
        allow_control: bool = False,
    ):
        self.version, self.separator = version, separator
        self.vocabulary, self.allow_control = vocabulary, allow_control
        self.no_rank = len(merges)
        self.ranks = {pair: rank for rank, pair in reversed(list(enumerate(merges)))}
        # Of several pairs with the same concatenation, the one with the lowest rank is undone. A
        # repeated pair has the rank of its last occurrence.
        last_ranks = {pair: rank for rank, pair in enumerate(merges)}
        by_rank = sorted(last_ranks, key=lambda pair: last_ranks[pair], reverse=True)
        self.parts = {a + b: (a, b) for a, b in by_rank}

    def segment(self, word: str) -> List[str]:
        """Segments one word into pieces without marker and separator."""
        symbols = [spell(symbol) for symbol in base_symbols(word, self.version)]
        while len(symbols) > 1:
            pairs = zip(symbols, symbols[1:])
            best = min(pairs, key=lambda pair: self.ranks.get(pair, self.no_rank))
            if best not in self.ranks:
                break
            symbols = replace_pair(symbols, best)
        if self.version == "0.1" and symbols[-1] == END_OF_WORD:
            symbols.pop()
        last = len(symbols) - 1
        return [p for i, symbol in enumerate(symbols) for p in self._undo(symbol, i == last)]

    def _undo(self, symbol: str, final: bool) -> Iterator[str]:
        """Undoes the merges of a symbol, the last one first, until all its parts may be printed."""
        waiting = [(symbol, final)]
        while waiting:
            symbol, final = waiting.pop()
            marked = final and unit_of(self.version) == "char" and symbol.endswith(END_OF_WORD)
            piece = symbol[: -len(END_OF_WORD)] if marked else symbol
            if symbol not in self.parts or self._may_print(piece, final):
                yield piece
                continue
            left, right = self.parts[symbol]
            if marked and right == END_OF_WORD:
                waiting.append((left, True))
            else:
                waiting += [(right, final), (left, False)]

    def _may_print(self, piece: str, final: bool) -> bool:
        joined = not final and unit_of(self.version) == "char"
        token = piece + self.separator if joined else piece
        known = self.vocabulary is None or token in self.vocabulary
        return known and (self.allow_control or not is_control(token))


def segment(word: str, merges: Sequence[Pair], version: str = "0.2", **options: Any) -> List[str]:
    """Segments one word by a merge table; the options are those of :class:`ReferenceRules`."""
    return ReferenceRules(merges, version, **options).segment(word)
