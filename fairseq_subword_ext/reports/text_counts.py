"""Counts tokens, words, characters and line lengths in one pass over a segmented or raw text."""

import logging
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Optional

import numpy as np

from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.codecs.recognition import LINES_TO_DETECT, recognize
from fairseq_subword_ext.codecs.registry import notation_of
from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.encoding import byte_order_mark_warning
from fairseq_subword_ext.textio.files import PathLike
from fairseq_subword_ext.textio.lines import decode_block, line_blocks
from fairseq_subword_ext.textio.text_input import TextInput

logger = logging.getLogger(__name__)

_SPACE = ord(" ")
_NEWLINE = ord("\n")
_RETURN = ord("\r")


@dataclass
class TextCounts:
    """The counts of one text.

    Attributes:
        encoding: how the text was read.
        lines: number of lines, including empty ones.
        characters: Unicode characters of the unsegmented text, including spaces.
        tokens: token -> count.
        words: word, with U+001F between its tokens -> count.
        line_lengths: number of tokens -> number of lines with that many.
    """

    encoding: Notation
    lines: int = 0
    characters: int = 0
    tokens: Dict[str, int] = field(default_factory=dict)
    words: Dict[str, int] = field(default_factory=dict)
    line_lengths: Counter = field(default_factory=Counter)


def count_text(
    path: PathLike,
    encoder: Optional[str] = None,
    separator: str = SEPARATOR,
) -> TextCounts:
    """Counts a text.

    Args:
        path: the text, one sentence per line; ``-`` for standard input.
        encoder: the encoder that segmented it, one of :func:`.registry.readable`; None to detect it
            from the first lines.
        separator: the separator of ``@@`` text.

    Raises:
        LineError: If a line is not UTF-8 or has a carriage return inside.
        ValueError: If there is no text.
        OSError: If it cannot be read.
    """
    core = native_core()
    lines = 0
    # Both release the GIL.
    counters = [core.WordCounter(split_at_carriage_return=False) for _ in range(2)]
    counts: Optional[TextCounts] = None
    with TextInput([path]) as source, ThreadPoolExecutor(2) as pool:
        for block in map(bytes, line_blocks(source, whole=True)):
            text = decode_block(block, source.name, lines)
            lines += text.count("\n")
            if counts is None:
                counts = TextCounts(notation_of(encoder or _recognized(text, separator), separator))
            views = [block, counts.encoding.words(block)]
            fed = [pool.submit(counter.feed, view) for counter, view in zip(counters, views)]
            counts.line_lengths.update(_line_lengths(block))
            for future in fed:
                future.result()
            counts.characters += _characters(text, counts.encoding)
    if counts is None:
        raise ValueError(f"{source.name}: the file has no text")
    if source.with_mark:
        logger.warning("%s", byte_order_mark_warning(f"{source.name}: begins"))
    try:
        for counter in counters:
            counter.finish()
    except ValueError as error:
        raise source.located(error) from None
    counts.lines = counters[0].totals()["lines"]
    counts.tokens, counts.words = (dict(counter.items()) for counter in counters)
    return counts


def read_lines(path: PathLike, numbers: List[int]) -> List[str]:
    """Reads single lines of a text.

    Args:
        path: the text.
        numbers: line numbers, from 0, in rising order.

    Raises:
        OSError: If the text cannot be read.
    """
    wanted = iter(numbers)
    number = next(wanted, None)
    found: List[str] = []
    with TextInput([path]) as source:
        for current, line in enumerate(_raw_lines(source)):
            if number is None:
                break
            if current == number:
                found.append(line.decode("utf-8", "replace").rstrip("\r"))
                number = next(wanted, None)
    return found


def _raw_lines(source: TextInput) -> Iterator[bytes]:
    for block in line_blocks(source):
        lines = bytes(block).split(b"\n")
        yield from lines if lines[-1] else lines[:-1]


def _recognized(text: str, separator: str) -> str:
    return recognize(
        text.replace("\r", "").split("\n", LINES_TO_DETECT)[:LINES_TO_DETECT], separator
    )


def _line_lengths(block: bytes) -> Iterator[int]:
    """The number of tokens of each line."""
    data = np.frombuffer(block if block.endswith(b"\n") else block + b"\n", np.uint8)
    ends = data == _NEWLINE
    outside = ends | (data == _SPACE) | (data == _RETURN)
    starts = np.flatnonzero(~outside[1:] & outside[:-1]) + 1
    if not outside[0]:
        starts = np.concatenate(([0], starts))
    before = np.searchsorted(starts, np.flatnonzero(ends))
    return np.diff(before, prepend=0).tolist()


def _characters(text: str, encoding: Notation) -> int:
    line_ends = text.count("\n") + text.count("\r")
    return len(encoding.raw(text)) - line_ends
