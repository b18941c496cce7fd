"""The measurements of several segmentations of the same text, side by side."""

from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple

from fairseq_subword_ext.reports.corpus_statistics import Statistics, ratio
from fairseq_subword_ext.reports.fairseq_logs import DecodingCost, TrainingCost
from fairseq_subword_ext.reports.intrinsic import Evenness, gini
from fairseq_subword_ext.subword.symbols import SEPARATOR

# The name of unsegmented text, as in Table 1 of Sennrich, Haddow & Birch 2016.
NO_SEGMENTATION = "none"

# Above this share (in %) the codes usually belong to another language or script.
SINGLE_CHARACTER_LIMIT = 50


@dataclass(frozen=True)
class Text:
    """One file to measure.

    Attributes:
        name: name of the segmentation.
        language: language of the text; empty if there is only one.
        path: the file.
        heldout: the held-out text under the same segmentation; None if there is none.
        encoder: the encoder that segmented it; None to detect it.
        separator: the separator of ``@@`` text.
    """

    name: str
    language: str
    path: str
    heldout: Optional[str] = None
    encoder: Optional[str] = None
    separator: str = SEPARATOR


@dataclass
class Report:
    """Measurements by segmentation and language.

    Attributes:
        names: names of the segmentations, in the order given.
        languages: languages of the texts, in the order given.
        statistics: (name, language) -> measurements; complete for all pairs.
        raw: language -> measurements of the raw text, if given.
        frequencies: name -> k -> types that occur 2^k to 2^(k+1) - 1 times in all languages together.
        shared: name -> numbers of types that occur in exactly 1, 2, ... languages.
        evenness: name -> how evenly the types of all languages together are used.
        base_language: lengths are shown relative to this language; None for no such figures.
        training: name -> cost of training, if a log was given.
        decoding: name -> cost of decoding, if a log was given.
    """

    names: List[str]
    languages: List[str]
    statistics: Dict[Tuple[str, str], Statistics]
    raw: Dict[str, Statistics] = field(default_factory=dict)
    frequencies: Dict[str, Dict[int, int]] = field(default_factory=dict)
    shared: Dict[str, List[int]] = field(default_factory=dict)
    evenness: Dict[str, Evenness] = field(default_factory=dict)
    base_language: Optional[str] = None
    training: Dict[str, TrainingCost] = field(default_factory=dict)
    decoding: Dict[str, DecodingCost] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Statistics]:
        return iter(self.statistics.values())

    def of(self, name: str) -> List[Statistics]:
        """The measurements of one segmentation, one per language."""
        return [self.statistics[name, language] for language in self.languages]

    def bytewise_names(self) -> List[str]:
        """The byte-level segmentations, whose tokens may have part of a character."""
        return [
            name
            for name in self.names
            if any(text.partial_tokens is not None for text in self.of(name))
        ]

    def characters_per_sentence(self, name: str) -> Optional[float]:
        """Characters of a sentence and its translations; None if the texts are not parallel."""
        texts = self.of(name)
        if len({text.sentences for text in texts}) > 1 or not texts[0].sentences:
            return None
        return sum(text.characters for text in texts) / texts[0].sentences

    def relative_length(self, name: str, language: str) -> Optional[float]:
        """Tokens per sentence, divided by those in the base language.

        None if there is no base language, or it has no tokens.
        """
        if self.base_language is None:
            return None
        base = self.statistics[name, self.base_language].mean_length
        length = self.statistics[name, language].mean_length
        return ratio(length, base) if base and length is not None else None

    def gini(self, name: str) -> Optional[float]:
        """The Gini coefficient of the languages' tokens per sentence; None if one has no text."""
        lengths = [text.mean_length for text in self.of(name)]
        return None if None in lengths else gini(lengths)

    def is_parallel(self) -> bool:
        """Whether all languages have the same number of sentences."""
        return len({text.sentences for text in self}) == 1

    def training_cost(self, name: str) -> Tuple[Optional[float], Optional[float]]:
        """Milliseconds per sentence, and per 1,000 characters of the sentence and its translations."""
        cost = self.training.get(name)
        if cost is None:
            return None, None
        characters = self.characters_per_sentence(name)
        milliseconds = cost.milliseconds_per_sentence
        return milliseconds, ratio(1000 * milliseconds, characters) if characters else None

    def decoding_cost(self, name: str) -> Tuple[Optional[float], Optional[float]]:
        """Milliseconds per sentence, and per 1,000 characters of the sources in the log."""
        cost = self.decoding.get(name)
        if cost is None:
            return None, None
        milliseconds = cost.milliseconds_per_sentence
        if not cost.source_characters:
            return milliseconds, None
        return milliseconds, 1_000_000 * cost.seconds / cost.source_characters

    def warnings(self) -> List[str]:
        """Warnings about suspicious segmentations or texts."""
        found = []
        for text in self:
            # In byte text, rare scripts are normally split into bytes.
            judged = not text.single_by_design and text.partial_tokens is None
            if judged and (text.single_share or 0) > SINGLE_CHARACTER_LIMIT:
                found.append(
                    f"{shown(text)}: {text.single_share:.0f} % of the tokens are single characters "
                    "of split words: are these the codes, or the vocabulary, of this language?"
                )
        for language in self.languages:
            texts = [self.statistics[name, language] for name in self.names]
            first, *others = [*([self.raw[language]] if language in self.raw else []), *texts]
            for other in others:
                if other.words != first.words:
                    found.append(
                        f"{shown(other)} has {other.words} words, {shown(first)} has "
                        f"{first.words}: the texts differ, or one of them is tokenized"
                    )
        return found

    def as_data(self) -> Dict[str, Any]:
        """All measurements, for JSON."""
        return {
            "segmentations": [text.as_data() for text in self],
            "raw": [text.as_data() for text in self.raw.values()],
            "symbol_frequencies": self.frequencies,
            "shared_symbols": self.shared,
            "evenness": {name: found._asdict() for name, found in self.evenness.items()},
            "languages": self._languages_as_data() if len(self.languages) > 1 else None,
            "training": {name: vars(cost) for name, cost in self.training.items()},
            "decoding": {name: vars(cost) for name, cost in self.decoding.items()},
        }

    def _languages_as_data(self) -> Dict[str, Any]:
        relative = {
            name: {language: self.relative_length(name, language) for language in self.languages}
            for name in self.names
        }
        return {
            "base": self.base_language,
            "relative_lengths": relative,
            "gini": {name: self.gini(name) for name in self.names},
        }


def shown(text: Statistics) -> str:
    """The name of a text for messages."""
    return f"{text.name} ({text.language})" if text.language else text.name
