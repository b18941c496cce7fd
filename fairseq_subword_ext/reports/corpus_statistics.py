"""The papers' measures of a segmentation, computed from the counts of a text.

Each property has one definition and one source: S is Sennrich, Haddow & Birch 2016, Z is Wu & Zhao
2018, W is Wang, Cho & Gu 2020.
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence

from fairseq_subword_ext.codecs.notation import BOUNDARY
from fairseq_subword_ext.reports.intrinsic import Evenness, evenness
from fairseq_subword_ext.reports.text_counts import TextCounts


@dataclass
class HeldOut:
    """A held-out text under the same segmentation.

    Attributes:
        sentences: number of lines.
        tokens: number of tokens.
        unknown: tokens, counting repetitions, that do not occur in the segmented training text; single
            bytes of byte text are never unknown, since all 256 are in its dictionary.
            (S, Table 1: #UNK.)
    """

    sentences: int
    tokens: int
    unknown: int


@dataclass
class Statistics:
    """The measurements of one text under one segmentation.

    Attributes:
        name: name of the segmentation.
        language: language of the text; empty if not given.
        encoder: how the text was read, one of :func:`.registry.readable`.
        single_by_design: every token is a single character or byte by construction.
        sentences: number of lines, including empty ones.
        tokens: tokens that a model reads or writes, without end-of-sentence symbols. (S, Table 1.)
        types: distinct tokens. (S, Table 1.)
        words: words of the raw text, separated by U+0020.
        characters: Unicode characters of the raw text, including spaces between words.
        split_words: words split into several tokens. (Z, Figure 2.)
        spelled_words: words of at least two characters, none of which share a token.
        single_characters: tokens of split words that consist of one character or part of one.
        partial_tokens: tokens with some but not all bytes of a character; None if the text is not byte
            text. (W, Table 3.)
        longest: tokens of the longest sentence.
        median: median number of tokens per sentence.
        symbol_frequencies: k -> number of types that occur 2^k to 2^(k+1) - 1 times. (W, Figure 2.)
        evenness: how evenly the types are used.
        heldout: measurements of the held-out text, if there is one.
    """

    name: str
    language: str
    encoder: str
    single_by_design: bool
    sentences: int
    tokens: int
    types: int
    words: int
    characters: int
    split_words: int
    spelled_words: int
    single_characters: int
    partial_tokens: Optional[int]
    longest: int
    median: int
    symbol_frequencies: Dict[int, int]
    evenness: Evenness
    heldout: Optional[HeldOut] = None

    @property
    def mean_length(self) -> Optional[float]:
        """Tokens per sentence. (W, Table 4.)"""
        return ratio(self.tokens, self.sentences)

    @property
    def mean_words(self) -> Optional[float]:
        """Words per sentence, the length before segmentation."""
        return ratio(self.words, self.sentences)

    @property
    def mean_split_words(self) -> Optional[float]:
        """Split words per sentence. (Z, Figure 2.)"""
        return ratio(self.split_words, self.sentences)

    @property
    def split_share(self) -> Optional[float]:
        """Split words, in % of all words."""
        return ratio(100 * self.split_words, self.words)

    @property
    def length_increase(self) -> Optional[float]:
        """Tokens that segmentation adds per sentence: tokens minus words. (Z, Figure 2.)"""
        return ratio(self.tokens - self.words, self.sentences)

    @property
    def length_increase_share(self) -> Optional[float]:
        """The length increase in % of the words."""
        return ratio(100 * (self.tokens - self.words), self.words)

    @property
    def partial_share(self) -> Optional[float]:
        """Tokens with partial characters, in % of all tokens. (W, Table 3.)"""
        if self.partial_tokens is None:
            return None
        return ratio(100 * self.partial_tokens, self.tokens)

    @property
    def single_share(self) -> Optional[float]:
        """Tokens that are single characters of split words, in % of all tokens."""
        return ratio(100 * self.single_characters, self.tokens)

    @property
    def spelled_share(self) -> Optional[float]:
        """Words that are split into single characters, in % of all words."""
        return ratio(100 * self.spelled_words, self.words)

    @property
    def tokens_per_1000_characters(self) -> Optional[float]:
        """Tokens per 1,000 characters of raw text, which does not depend on what a word is."""
        return ratio(1000 * self.tokens, self.characters)

    def as_data(self) -> Dict[str, Any]:
        """Counts and derived figures, for JSON."""
        data = {k: v for k, v in vars(self).items() if k not in ("evenness", "heldout")}
        data.update(self.evenness._asdict())
        for key, value in vars(type(self)).items():
            if isinstance(value, property):
                data[key] = getattr(self, key)
        data["heldout"] = vars(self.heldout) if self.heldout else None
        return data


def ratio(part: float, whole: float) -> Optional[float]:
    """A quotient; None if the divisor is zero."""
    return part / whole if whole else None


def measure(
    counts: TextCounts, name: str, language: str = "", heldout: Optional[TextCounts] = None
) -> Statistics:
    """Measures one text under one segmentation.

    Args:
        counts: counts of the training text.
        name: name of the segmentation.
        language: language of the text.
        heldout: counts of a held-out text under the same segmentation.
    """
    encoding = counts.encoding
    split = spelled = single = 0
    for word, times in counts.words.items():
        if BOUNDARY not in word:
            continue
        parts = encoding.shape(word)
        if len(parts) > 1:
            split += times
            short = sum(len(part) <= 1 for part in parts)
            single += times * short
            if short == len(parts) and sum(map(len, parts)) > 1:
                spelled += times
    partial = None
    if encoding.bytewise:
        partial = sum(n for token, n in counts.tokens.items() if encoding.is_partial(token))
    return Statistics(
        name=name,
        language=language,
        encoder=encoding.encoder,
        single_by_design=encoding.single,
        sentences=counts.lines,
        tokens=sum(counts.tokens.values()),
        types=len(counts.tokens),
        words=sum(counts.words.values()),
        characters=counts.characters,
        split_words=split,
        spelled_words=spelled,
        single_characters=single,
        partial_tokens=partial,
        longest=max(counts.line_lengths, default=0),
        median=_median(counts.line_lengths),
        symbol_frequencies=symbol_frequencies(counts.tokens),
        evenness=evenness(counts.tokens),
        heldout=None if heldout is None else count_unknown(counts, heldout),
    )


def count_unknown(training: TextCounts, heldout: TextCounts) -> HeldOut:
    """Counts tokens of a held-out text that do not occur in the training text. (S, Table 1.)"""
    known = training.tokens
    has_all = training.encoding.has_all
    unknown = sum(
        times
        for token, times in heldout.tokens.items()
        if token not in known and not has_all(token)
    )
    return HeldOut(heldout.lines, sum(heldout.tokens.values()), unknown)


def symbol_frequencies(tokens: Mapping[str, int]) -> Dict[int, int]:
    """Histogram of the types' frequencies, in powers of two. (W, Figure 2.)

    Returns:
        k -> number of types that occur 2^k to 2^(k+1) - 1 times, sorted by k.
    """
    bins = Counter(times.bit_length() - 1 for times in tokens.values())
    return dict(sorted(bins.items()))


def shared_symbols(texts: Sequence[Mapping[str, int]]) -> List[int]:
    """Counts symbols by the number of languages that share them. (W, Figure 3.)

    Args:
        texts: token -> count for each language.

    Returns:
        The number of types that occur in exactly 1, 2, ... of the texts.
    """
    languages = Counter(token for text in texts for token in text)
    found = Counter(languages.values())
    return [found[number] for number in range(1, len(texts) + 1)]


def _median(lengths: Counter) -> int:
    """The median; the lower of the two middle values if their number is even."""
    middle = math.ceil(sum(lengths.values()) / 2)
    seen = 0
    for length in sorted(lengths):
        seen += lengths[length]
        if seen >= middle:
            return length
    return 0
