"""Unigram precision, recall and F1 by word class, and words copied from the source.

Sennrich, Haddow & Birch 2016, section 4: unigram F1 is the harmonic mean of clipped unigram precision
and recall. Clipped as in BLEU: within a sentence, a word of the output counts as correct at most as
often as it occurs in the reference. Case matters.

A word is OOV if it does not occur in the target side's training text, and rare if it does but is not
among the 50,000 most frequent words. The paper does not say that the two classes are disjoint, but only
then do its shares add up. ``rare or OOV`` is the union of both.
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
    """Token counts of each word, summed over the sentences.

    Attributes:
        matched: clipped matches between output and reference.
        system: tokens in the output.
        reference: tokens in the reference.
    """

    matched: Counter
    system: Counter
    reference: Counter


@dataclass(frozen=True)
class UnigramMatch:
    """Token counts of one word class, summed over the sentences.

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
        """In percent; None if the output has no word of the class."""
        return 100 * self.matched / self.system if self.system else None

    @property
    def recall(self) -> Optional[float]:
        """In percent; None if the reference has no word of the class."""
        return 100 * self.matched / self.reference if self.reference else None

    @property
    def f1(self) -> Optional[float]:
        """The harmonic mean, 2 matched / (system + reference); None if neither has such a word."""
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
    """Clipped count of the tokens of one word class that the output shares with its source sentence.

    Attributes:
        copied: number of shared tokens.
        correct: those that match the reference, too.
        system: all tokens of the class in the output.
    """

    copied: int
    correct: int
    system: int

    def to_dict(self) -> Dict[str, int]:
        """The counts, for the record."""
        return {"copied": self.copied, "correct": self.correct, "system": self.system}


def frequency_ranks(training_counts: Mapping[str, int]) -> Dict[str, int]:
    """The frequency rank of each word, from 1.

    Words with the same count are sorted alphabetically, so that ranks do not depend on the order of the
    text.
    """
    by_rank = sorted(training_counts, key=lambda word: (-training_counts[word], word))
    return {word: rank for rank, word in enumerate(by_rank, start=1)}


def word_classes(
    ranks: Optional[Mapping[str, int]],
    rare_rank: int = RARE_RANK,
    rare_includes_oov: bool = False,
) -> Dict[str, WordClass]:
    """Word classes by name: all words and, with training text, rare and OOV words.

    Args:
        ranks: result of :func:`frequency_ranks` for the target side's training text.
        rare_rank: words of a higher rank are rare.
        rare_includes_oov: replace the class of rare words by that of rare or OOV words.

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
        system: sentences of the output, each a sequence of words.
        reference: equally many sentences.
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
        matches: result of :func:`count_matches`.
        classes: result of :func:`word_classes`.
    """
    return {
        name: UnigramMatch(*(_sum_of(counts, is_member) for counts in matches))
        for name, is_member in classes.items()
    }


def copied_words(
    system: Iterable[Sentence],
    reference: Iterable[Sentence],
    source: Iterable[Sentence],
    classes: Mapping[str, WordClass],
) -> Dict[str, CopyCount]:
    """Counts, by class, the output's words that also occur in its source sentence.

    Copying names is correct if both languages share a script; Sennrich et al. 2016, section 5.1, find
    that the OOV words of a back-off dictionary are nothing but copies.

    Args:
        system, reference, source: the same sentences, tokenized in the same way.
        classes: result of :func:`word_classes`.
    """
    copied, correct, output = Counter(), Counter(), Counter()
    for output_words, reference_words, source_words in zip(system, reference, source):
        words = Counter(output_words)
        common = words & Counter(source_words)
        copied.update(common)
        correct.update(common & Counter(reference_words))
        output.update(words)
    return {
        name: CopyCount(*(_sum_of(counts, is_member) for counts in (copied, correct, output)))
        for name, is_member in classes.items()
    }


def copied_lines(system: Sequence[str], source: Sequence[str]) -> int:
    """Counts non-empty outputs that equal their source line, ignoring outer spaces."""
    pairs = ((line.strip(), original.strip()) for line, original in zip(system, source))
    return sum(line == original for line, original in pairs if line)


def _sum_of(counts: Counter, is_member: WordClass) -> int:
    return sum(count for word, count in counts.items() if is_member(word))
