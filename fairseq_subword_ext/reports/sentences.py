"""Chooses sentences to show, and reads them under every segmentation."""

from collections.abc import Sequence
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from fairseq_subword_ext.codecs.registry import notation_of
from fairseq_subword_ext.reports.marked_sentences import mark
from fairseq_subword_ext.reports.page import Sentence
from fairseq_subword_ext.reports.report import Report, Text
from fairseq_subword_ext.reports.text_counts import read_lines


def spread_lines(total: int, number: int) -> List[int]:
    """Line numbers, from 0, spread evenly over a text: the middle line of each of ``number`` parts."""
    number = min(number, total)
    return [(2 * part + 1) * total // (2 * number) for part in range(number)]


def read_sentences(
    report: Report,
    texts: Sequence[Text],
    raw: Sequence[Text],
    number: int,
    lines: Optional[Sequence[int]] = None,
) -> List[Sentence]:
    """Reads sentences of every language; empty ones are left out.

    Args:
        report: the report on the texts, which records how to read each.
        texts: every segmentation in every language.
        raw: the unsegmented texts.
        number: number of sentences per language.
        lines: line numbers, from 1; None to spread lines evenly over the text.

    Raises:
        ValueError: If a text has fewer lines, or is not a file.
        OSError: If a file cannot be read again.
    """
    for text in [*texts, *raw]:
        if not Path(text.path).is_file():
            raise ValueError(
                f"{text.path} cannot be read a second time for its sentences: give a file"
            )
    chosen = {language: _chosen(report, language, number, lines) for language in report.languages}
    read: Dict[Tuple[str, str], List[str]] = {
        (text.name, text.language): read_lines(text.path, chosen[text.language]) for text in texts
    }
    plain = {text.language: read_lines(text.path, chosen[text.language]) for text in raw}
    separators = {text.name: text.separator for text in texts}
    sentences = []
    for language in report.languages:
        for place, line in enumerate(chosen[language]):
            marked = {}
            for name in report.names:
                encoder = report.statistics[name, language].encoder
                encoding = notation_of(encoder, separators[name])
                marked[name] = mark(read[name, language][place], encoding)
            if any(marked.values()):
                text = plain[language][place] if language in plain else None
                sentences.append(Sentence(line + 1, language, text, marked))
    return sentences


def _chosen(
    report: Report, language: str, number: int, lines: Optional[Sequence[int]]
) -> List[int]:
    total = report.statistics[report.names[0], language].sentences
    if lines is None:
        return spread_lines(total, number)
    for line in lines:
        if line > total:
            raise ValueError(f"line {line} was requested, but the text has {total} lines")
    return sorted({line - 1 for line in lines})
