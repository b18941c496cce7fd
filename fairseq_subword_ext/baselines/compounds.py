"""Frequency-based compound splitting."""

import math
import re
from collections import Counter
from typing import Dict, List, Mapping, Sequence, Tuple

from fairseq_subword_ext.baselines.word_codec import WordCodec

MIN_LENGTH = 3
FILLERS = ("s", "es")

# No compound is this long, and the search for the best split takes cubic time.
MAX_LETTERS = 100

_LETTERS = re.compile(r"[^\W\d_]+")


class Compounds(WordCodec):
    """Splits words into known words that are more frequent than the whole.

    The score of a split S of a word into parts p is the geometric mean of the parts' counts,

        (product of count(p))^(1 / |S|),

    and the best split wins; the whole word is a candidate too. Parts are words of the training text,
    matched case-insensitively, and may be followed by a filler, as in *Aktion-s-plan*. A filler stays
    with the part before it, and letters keep their case, so that the text can be restored. Characters
    that are not letters separate words.

    Source: Koehn & Knight 2003, "Empirical Methods for Compound Splitting", sections 3 and 4.2.
    Omitted: the filters by parallel text and part of speech, and the dropping of letters.
    """

    name = "compounds"

    def __init__(
        self,
        counts: Mapping[str, int],
        min_length: int = MIN_LENGTH,
        min_count: int = 1,
        fillers: Sequence[str] = FILLERS,
        errors: str = "strict",
    ):
        """Collects the known words.

        Args:
            counts: word -> count of the training text.
            min_length: minimum number of letters of a part (3 in the paper).
            min_count: minimum number of occurrences of a part.
            fillers: strings allowed between parts.
            errors: as in :class:`.CodecOptions`.

        Raises:
            ValueError: If min_length is not positive.
        """
        super().__init__(errors)
        if min_length < 1:
            raise ValueError(f"min_length must be 1 or more, not {min_length}")
        known: Counter = Counter()
        for word, count in counts.items():
            for letters in _LETTERS.findall(word):
                known[letters.lower()] += count
        self._log_counts: Dict[str, float] = {
            word: math.log(count)
            for word, count in known.items()
            if count >= max(min_count, 1) and len(word) >= min_length
        }
        self._min_length = min_length
        self._fillers = tuple(filler.lower() for filler in fillers)
        longest = max(map(len, self._log_counts), default=0)
        self._max_length = longest + max(map(len, self._fillers), default=0)

    def pieces(self, word: str) -> List[str]:
        pieces = []
        start = 0
        for letters in _LETTERS.finditer(word):
            for cut in self._cuts(letters.group()):
                pieces.append(word[start : letters.start() + cut])
                start = letters.start() + cut
        return [*pieces, word[start:]]

    def _cuts(self, letters: str) -> List[int]:
        """The positions where to cut a run of letters; empty if it stays whole."""
        lowered = letters.lower()
        # Lower-casing can turn one letter into two; then positions would differ.
        if len(lowered) != len(letters) or not 2 * self._min_length <= len(letters) <= MAX_LETTERS:
            return []
        best_mean = self._log_counts.get(lowered, -math.inf)
        best: List[int] = []
        for total, cuts in self._best_splits(lowered):
            mean = total / (len(cuts) + 1)
            if mean > best_mean:
                best_mean, best = mean, cuts
        return best

    def _best_splits(self, word: str) -> List[Tuple[float, List[int]]]:
        """For each number of parts >= 2: the greatest sum of log counts, and its cuts."""
        # The parts of a prefix of the word, for each length: (sum of log counts, cuts).
        reached: Dict[int, Tuple[float, List[int]]] = {0: (0.0, [])}
        splits = []
        while reached:
            longer: Dict[int, Tuple[float, List[int]]] = {}
            for start, (total, cuts) in reached.items():
                last = min(len(word), start + self._max_length)
                for end in range(start + self._min_length, last + 1):
                    score = self._part_score(word[start:end], end == len(word))
                    if score is None:
                        continue
                    found = (total + score, [*cuts, end])
                    if end not in longer or found[0] > longer[end][0]:
                        longer[end] = found
            whole = longer.pop(len(word), None)
            if whole and len(whole[1]) > 1:
                splits.append((whole[0], whole[1][:-1]))
            reached = longer
        return splits

    def _part_score(self, part: str, is_last: bool):
        """The logarithm of the part's count, with or without a filler; None if it is unknown."""
        scores = [self._log_counts.get(part)]
        if not is_last:
            scores += [
                self._log_counts.get(part[: -len(filler)])
                for filler in self._fillers
                if filler and part.endswith(filler)
            ]
        return max((score for score in scores if score is not None), default=None)
