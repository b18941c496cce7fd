"""Unigram precision, recall and F1 over classes of words, and words copied from the source.

Sennrich, Haddow & Birch 2016, section 4: unigram F1 is the harmonic mean of clipped unigram precision
and recall; clipped as in BLEU: within a sentence, a word of the output counts as right at most as
often as the reference has it. Words are rare where they are not among the 50,000 most frequent ones
of the target side's training text (so the unseen ones are rare, too), and OOV where they do not occur
in it at all. Case counts.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Callable, Dict, Iterable, List, Mapping, Optional, Sequence

ALL, RARE, OOV = "all", "rare", "oov"

RARE_RANK = 50_000

Sentence = Sequence[str]
WordClass = Callable[[str], bool]


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


def word_classes(
    training_counts: Optional[Mapping[str, int]], rare_rank: int = RARE_RANK
) -> Dict[str, WordClass]:
    """The classes of words by name: all, and with training text rare and OOV ones.

    Args:
        training_counts: count of each word in the target side's training text.
        rare_rank: so many most frequent words are not rare. Of words with the same count, the
            alphabetically first come first, so that the class never depends on the text's order.

    Raises:
        ValueError: for a negative rank.
    """
    if rare_rank < 0:
        raise ValueError(f"the rank from which words are rare is {rare_rank}; expected 0 or more")
    classes: Dict[str, WordClass] = {ALL: lambda word: True}
    if training_counts is not None:
        by_rank = sorted(training_counts, key=lambda word: (-training_counts[word], word))
        frequent = frozenset(by_rank[:rare_rank])
        classes[RARE] = lambda word: word not in frequent
        classes[OOV] = lambda word: word not in training_counts
    return classes


def unigram_matches(
    system: Iterable[Sentence], reference: Iterable[Sentence], classes: Mapping[str, WordClass]
) -> Dict[str, UnigramMatch]:
    """Compares the words of output and reference, sentence by sentence.

    Args:
        system: the output's sentences, each a sequence of words.
        reference: as many sentences.
        classes: as :func:`word_classes` gives them.
    """
    sums = {name: [0, 0, 0] for name in classes}
    for output_words, reference_words in zip(system, reference):
        output, expected = Counter(output_words), Counter(reference_words)
        for index, counts in enumerate((output & expected, output, expected)):
            _add(sums, index, counts, classes)
    return {name: UnigramMatch(*numbers) for name, numbers in sums.items()}


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
    sums = {name: [0, 0, 0] for name in classes}
    for output_words, reference_words, source_words in zip(system, reference, source):
        output = Counter(output_words)
        copied = output & Counter(source_words)
        for index, counts in enumerate((copied, copied & Counter(reference_words), output)):
            _add(sums, index, counts, classes)
    return {name: CopyCount(*numbers) for name, numbers in sums.items()}


def copied_lines(system: Sequence[str], source: Sequence[str]) -> int:
    """Counts outputs, empty ones aside, that are their source line unchanged but for outer spaces."""
    pairs = ((line.strip(), original.strip()) for line, original in zip(system, source))
    return sum(line == original for line, original in pairs if line)


def _add(
    sums: Dict[str, List[int]], index: int, counts: Counter, classes: Mapping[str, WordClass]
) -> None:
    for name, belongs in classes.items():
        sums[name][index] += sum(count for word, count in counts.items() if belongs(word))
