"""The measurements of several segmentations of the same text, side by side."""

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from fairseq_subword_ext.codecs.recognition import LINES_TO_DETECT, recognize
from fairseq_subword_ext.reports.corpus_statistics import (
    Statistics,
    measure,
    ratio,
    shared_symbols,
    symbol_frequencies,
)
from fairseq_subword_ext.reports.fairseq_logs import DecodingCost, TrainingCost
from fairseq_subword_ext.reports.text_counts import count_text, read_lines
from fairseq_subword_ext.subword.symbols import SEPARATOR

# The name of unsegmented text, as in Table 1 of Sennrich, Haddow & Birch 2016.
NO_SEGMENTATION = "none"

# Above this share (in %) the codes are, as a rule, of another language or script.
SINGLE_CHARACTER_LIMIT = 50

# Below so many bytes, starting processes takes longer than it saves.
_WORTH_PROCESSES = 1 << 23


@dataclass(frozen=True)
class Text:
    """One file to measure.

    Attributes:
        name: of the segmentation.
        language: of the text; empty where there is only one.
        path: of the file.
        heldout: of the held-out text under the same segmentation; None for none.
        encoder: what segmented it; None to find out.
        separator: that of ``@@`` text.
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
        names: of the segmentations, in the order given.
        languages: of the texts, in the order given.
        statistics: (name, language) -> measurements; every pair is there.
        raw: language -> measurements of the raw text, where it was given.
        frequencies: name -> k -> types that occur 2^k to 2^(k+1) - 1 times in all languages.
        shared: name -> number of types that are in exactly 1, 2, ... languages.
        training: name -> what training cost, where a log says it.
        decoding: name -> what decoding cost, where a log says it.
    """

    names: List[str]
    languages: List[str]
    statistics: Dict[Tuple[str, str], Statistics]
    raw: Dict[str, Statistics] = field(default_factory=dict)
    frequencies: Dict[str, Dict[int, int]] = field(default_factory=dict)
    shared: Dict[str, List[int]] = field(default_factory=dict)
    training: Dict[str, TrainingCost] = field(default_factory=dict)
    decoding: Dict[str, DecodingCost] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Statistics]:
        return iter(self.statistics.values())

    def of(self, name: str) -> List[Statistics]:
        """The measurements of one segmentation, a language each."""
        return [self.statistics[name, language] for language in self.languages]

    def bytewise_names(self) -> List[str]:
        """The segmentations of byte text, whose tokens can hold a part of a character."""
        return [
            name
            for name in self.names
            if any(text.partial_tokens is not None for text in self.of(name))
        ]

    def characters_a_sentence(self, name: str) -> Optional[float]:
        """Characters of a sentence and its translations; None where the texts are not parallel."""
        texts = self.of(name)
        if len({text.sentences for text in texts}) > 1 or not texts[0].sentences:
            return None
        return sum(text.characters for text in texts) / texts[0].sentences

    def training_cost(self, name: str) -> Tuple[Optional[float], Optional[float]]:
        """Milliseconds a sentence, and per 1,000 characters of it and its translations given."""
        cost = self.training.get(name)
        if cost is None:
            return None, None
        characters = self.characters_a_sentence(name)
        milliseconds = cost.milliseconds_a_sentence
        return milliseconds, ratio(1000 * milliseconds, characters) if characters else None

    def decoding_cost(self, name: str) -> Tuple[Optional[float], Optional[float]]:
        """Milliseconds a sentence, and per 1,000 characters of the sources in the log."""
        cost = self.decoding.get(name)
        if cost is None:
            return None, None
        milliseconds = cost.milliseconds_a_sentence
        if not cost.source_characters:
            return milliseconds, None
        return milliseconds, 1_000_000 * cost.seconds / cost.source_characters

    def warnings(self) -> List[str]:
        """What looks wrong with a segmentation, or with the texts."""
        found = []
        for text in self:
            # Rare scripts do fall to pieces in byte text.
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
                        f"{first.words}: they are not the same text, or one is tokenized"
                    )
        return found

    def as_data(self) -> Dict[str, Any]:
        """For JSON."""
        return {
            "segmentations": [text.as_data() for text in self],
            "raw": [text.as_data() for text in self.raw.values()],
            "symbol_frequencies": self.frequencies,
            "shared_symbols": self.shared,
            "training": {name: vars(cost) for name, cost in self.training.items()},
            "decoding": {name: vars(cost) for name, cost in self.decoding.items()},
        }


def shown(text: Statistics) -> str:
    """A text's name for messages."""
    return f"{text.name} ({text.language})" if text.language else text.name


def build_report(texts: Sequence[Text], raw: Sequence[Text] = (), num_workers: int = 1) -> Report:
    """Measures texts.

    Args:
        texts: every segmentation in every language.
        raw: the texts without segmentation, at most one a language; their characters are the
            measure for all segmentations.
        num_workers: processes; the result is the same.

    Raises:
        ValueError: where segmentations of one language differ in the number of lines, or a text is
            broken.
        OSError: where a file cannot be read.
    """
    texts = _with_encoders(texts)
    measured = _measure_all([*raw, *texts], num_workers)
    raw_statistics = {text.language: statistics for text, (statistics, _) in zip(raw, measured)}
    tokens: Dict[str, List[Mapping[str, int]]] = {}
    statistics: Dict[Tuple[str, str], Statistics] = {}
    for text, (found, counts) in zip(texts, measured[len(raw) :]):
        if text.language in raw_statistics:
            found.characters = raw_statistics[text.language].characters
        statistics[text.name, text.language] = found
        tokens.setdefault(text.name, []).append(counts)
    report = Report(
        names=list(tokens),
        languages=list(dict.fromkeys(text.language for text in texts)),
        statistics=statistics,
        raw=raw_statistics,
        frequencies={name: symbol_frequencies(_sum(counts)) for name, counts in tokens.items()},
        shared={name: shared_symbols(counts) for name, counts in tokens.items()},
    )
    _check_same_lines([*raw, *texts], [found for found, _ in measured])
    return report


def _with_encoders(texts: Sequence[Text]) -> List[Text]:
    """Says of each text what segmented it.

    That shows in all languages of a segmentation together: SentencePiece's text in English, say,
    looks like byte text, until the German side tells.
    """
    beginnings: Dict[str, List[str]] = {}
    for text in texts:
        if text.encoder is None and Path(text.path).is_file():
            lines = read_lines(text.path, list(range(LINES_TO_DETECT)))
            beginnings.setdefault(text.name, []).extend(lines)
    found = {
        text.name: recognize(beginnings[text.name], text.separator)
        for text in texts
        if text.name in beginnings
    }
    return [replace(text, encoder=text.encoder or found.get(text.name)) for text in texts]


def _measure_all(
    texts: Sequence[Text], num_workers: int
) -> List[Tuple[Statistics, Mapping[str, int]]]:
    size = sum(Path(text.path).stat().st_size for text in texts if Path(text.path).is_file())
    if num_workers == 1 or len(texts) == 1 or size < _WORTH_PROCESSES:
        return [_measure_one(text) for text in texts]
    with ProcessPoolExecutor(min(num_workers, len(texts))) as pool:
        return list(pool.map(_measure_one, texts))


def _measure_one(text: Text) -> Tuple[Statistics, Mapping[str, int]]:
    counts = count_text(text.path, text.encoder, text.separator)
    heldout = None
    if text.heldout is not None:
        heldout = count_text(text.heldout, counts.encoding.encoder, text.separator)
    return measure(counts, text.name, text.language, heldout), counts.tokens


def _sum(counts: Sequence[Mapping[str, int]]) -> Mapping[str, int]:
    total: Counter = Counter()
    for each in counts:
        total.update(each)
    return total


def _check_same_lines(texts: Sequence[Text], statistics: Sequence[Statistics]) -> None:
    first: Dict[Tuple[str, bool], Tuple[Optional[str], int]] = {}
    for text, found in zip(texts, statistics):
        files = [(text.path, found.sentences, False)]
        if found.heldout is not None:
            files.append((text.heldout, found.heldout.sentences, True))
        for path, lines, is_heldout in files:
            other, its_lines = first.setdefault((text.language, is_heldout), (path, lines))
            if lines != its_lines:
                raise ValueError(
                    f"{path} has {lines} lines, and {other} has {its_lines}: all segmentations "
                    "have to be of the same text, line by line"
                )
