"""Measures texts for a report, in several processes if that saves time."""

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from fairseq_subword_ext.codecs.recognition import LINES_TO_DETECT, recognize
from fairseq_subword_ext.reports.corpus_statistics import (
    Statistics,
    measure,
    shared_symbols,
    symbol_frequencies,
)
from fairseq_subword_ext.reports.intrinsic import evenness
from fairseq_subword_ext.reports.report import Report, Text
from fairseq_subword_ext.reports.text_counts import count_text, read_lines

# For fewer bytes, starting processes takes longer than it saves.
_WORTH_PROCESSES = 1 << 23


def build_report(texts: Sequence[Text], raw: Sequence[Text] = (), num_workers: int = 1) -> Report:
    """Measures texts.

    Args:
        texts: every segmentation in every language.
        raw: the unsegmented texts, at most one per language; all segmentations are compared by their
            character counts.
        num_workers: number of processes; it does not affect the result.

    Raises:
        ValueError: If segmentations of one language differ in the number of lines, or a text is
            malformed.
        OSError: If a file cannot be read.
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
    totals = {name: _sum(counts) for name, counts in tokens.items()}
    report = Report(
        names=list(tokens),
        languages=list(dict.fromkeys(text.language for text in texts)),
        statistics=statistics,
        raw=raw_statistics,
        frequencies={name: symbol_frequencies(total) for name, total in totals.items()},
        shared={name: shared_symbols(counts) for name, counts in tokens.items()},
        evenness={name: evenness(total) for name, total in totals.items()},
    )
    _check_same_lines([*raw, *texts], [found for found, _ in measured])
    return report


def _with_encoders(texts: Sequence[Text]) -> List[Text]:
    """Fills in the encoder of each text.

    It is detected from all languages of a segmentation together: for example, SentencePiece's English
    text looks like byte text until the German side is seen.
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
                    f"{path} has {lines} lines, but {other} has {its_lines}: all segmentations must "
                    "be of the same text, line by line"
                )
