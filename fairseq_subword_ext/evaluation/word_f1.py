"""Unigram precision, recall and F1 over classes of words, and words copied from the source.

Sennrich, Haddow & Birch 2016, section 4: unigram F1 is the harmonic mean of clipped unigram precision
and recall; clipped as in BLEU: within a sentence, a word of the output counts as right at most as
often as the reference has it. Case counts.

Words are OOV where they do not occur in the target side's training text, and rare where they occur
but are not among its 50,000 most frequent ones. That the two classes do not overlap is inferred: only
so do the shares that the paper gives add up. ``rare or OOV`` is the class of both.
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Callable, Dict, Iterable, Mapping, NamedTuple, Optional, Sequence

ALL, RARE, OOV, RARE_OR_OOV = "all", "rare", "oov", "rare_or_oov"

RARE_RANK = 50_000

Sentence = Sequence[str]
WordClass = Callable[[str], bool]


class WordMatches(NamedTuple):
    """Tokens of each word, summed over the sentences.

    Attributes:
        matched: clipped matches between output and reference.
        system: in the output.
        reference: in the reference.
    """

    matched: Counter
    system: Counter
    reference: Counter


@dataclass(frozen=True)
class UnigramMatch:
    """Word tokens of one class, summed over the sentences.

    Attributes:
        matched: clipped matches between output and reference.
        system: tokens of the class in the output.
        reference: tokens of the class in the reference.
    """

    matched: int
    system: int
    reference: int

    @property
    def precision(self) -> Optional[float]:
        """In per cent; None where the output has no word of the class."""
        return 100 * self.matched / self.system if self.system else None

    @property
    def recall(self) -> Optional[float]:
        """In per cent; None where the reference has no word of the class."""
        return 100 * self.matched / self.reference if self.reference else None

    @property
    def f1(self) -> Optional[float]:
        """Their harmonic mean, 2 matched / (system + reference); None where both have no such word."""
        both = self.system + self.reference
        return 100 * 2 * self.matched / both if both else None

    def to_dict(self) -> Dict[str, Optional[float]]:
        """Counts and percentages, for the record."""
        return {
            "f1": self.f1,
            "precision": self.precision,
            "recall": self.recall,
            "matched": self.matched,
            "system": self.system,
            "reference": self.reference,
        }


@dataclass(frozen=True)
class CopyCount:
    """Word tokens of one class that the output has in common with its source sentence, clipped.

    Attributes:
        copied: how many.
        correct: how many of them match the reference, too.
        system: all tokens of the class in the output.
    """

    copied: int
    correct: int
    system: int

    def to_dict(self) -> Dict[str, int]:
        """The counts, for the record."""
        return {"copied": self.copied, "correct": self.correct, "system": self.system}


def frequency_ranks(training_counts: Mapping[str, int]) -> Dict[str, int]:
    """The rank of each word by its frequency, from 1.

    Of words with the same count the alphabetically first come first, so that ranks never depend on
    the text's order.
    """
    by_rank = sorted(training_counts, key=lambda word: (-training_counts[word], word))
    return {word: rank for rank, word in enumerate(by_rank, start=1)}


def word_classes(
    ranks: Optional[Mapping[str, int]],
    rare_rank: int = RARE_RANK,
    rare_includes_oov: bool = False,
) -> Dict[str, WordClass]:
    """The classes of words by name: all, and with training text rare and OOV ones.

    Args:
        ranks: of the words of the target side's training text, as :func:`frequency_ranks` gives
            them.
        rare_rank: words of a higher rank are rare.
        rare_includes_oov: put the class of rare and OOV words in the place of the rare ones.

    Raises:
        ValueError: If the rank is negative.
    """
    if rare_rank < 0:
        raise ValueError(f"the rank from which words are rare is {rare_rank}; expected 0 or more")
    classes: Dict[str, WordClass] = {ALL: lambda word: True}
    if ranks is not None:
        if rare_includes_oov:
            classes[RARE_OR_OOV] = lambda word: ranks.get(word, math.inf) > rare_rank
        else:
            classes[RARE] = lambda word: ranks.get(word, 0) > rare_rank
        classes[OOV] = lambda word: word not in ranks
    return classes


def count_matches(system: Iterable[Sentence], reference: Iterable[Sentence]) -> WordMatches:
    """Compares the words of output and reference, sentence by sentence.

    Args:
        system: the output's sentences, each a sequence of words.
        reference: as many sentences.
    """
    matches = WordMatches(Counter(), Counter(), Counter())
    for output_words, reference_words in zip(system, reference):
        output, expected = Counter(output_words), Counter(reference_words)
        matches.matched.update(output & expected)
        matches.system.update(output)
        matches.reference.update(expected)
    return matches


def unigram_matches(
    matches: WordMatches, classes: Mapping[str, WordClass]
) -> Dict[str, UnigramMatch]:
    """Sums the matches of each class of words.

    Args:
        matches: as :func:`count_matches` gives them.
        classes: as :func:`word_classes` gives them.
    """
    return {
        name: UnigramMatch(*(_sum_of(counts, belongs) for counts in matches))
        for name, belongs in classes.items()
    }


def copied_words(
    system: Iterable[Sentence],
    reference: Iterable[Sentence],
    source: Iterable[Sentence],
    classes: Mapping[str, WordClass],
) -> Dict[str, CopyCount]:
    """Counts the output's words that its source sentence holds as they are, by class.

    Names are copied rightly where both languages share a script; Sennrich et al. 2016, section 5.1,
    find that a back-off dictionary's OOVs are copies only.

    Args:
        system, reference, source: as many sentences each, cut into words alike.
        classes: as :func:`word_classes` gives them.
    """
    copied, correct, output = Counter(), Counter(), Counter()
    for output_words, reference_words, source_words in zip(system, reference, source):
        words = Counter(output_words)
        common = words & Counter(source_words)
        copied.update(common)
        correct.update(common & Counter(reference_words))
        output.update(words)
    return {
        name: CopyCount(*(_sum_of(counts, belongs) for counts in (copied, correct, output)))
        for name, belongs in classes.items()
    }


def copied_lines(system: Sequence[str], source: Sequence[str]) -> int:
    """Counts outputs, empty ones aside, that are their source line unchanged but for outer spaces."""
    pairs = ((line.strip(), original.strip()) for line, original in zip(system, source))
    return sum(line == original for line, original in pairs if line)


def _sum_of(counts: Counter, belongs: WordClass) -> int:
    return sum(count for word, count in counts.items() if belongs(word))
