"""Cuts inputs into spans of bytes that can be counted independently.

A span never cuts a word or a ``\\r\\n``: it ends after a newline, or after a space that does not follow
``\\r``. Even a text without line ends can thus be divided.
"""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Iterator, List, Optional, Sequence

from fairseq_subword_ext.textio.compression import LONGEST_MAGIC, compression_of
from fairseq_subword_ext.textio.encoding import check_encoding
from fairseq_subword_ext.textio.extras import import_extra
from fairseq_subword_ext.textio.files import STANDARD_STREAM
from fairseq_subword_ext.textio.inputs import (
    Input,
    is_url,
    open_input,
    shown_name,
)
from fairseq_subword_ext.textio.text_input import open_text

_CUT = re.compile(rb"\n|(?<!\r) ")
_BLOCK = 1 << 18


@dataclass(frozen=True)
class Span:
    """Bytes of one input.

    Attributes:
        name: a path, an fsspec URL, ``-`` for standard input, or an open stream.
        start: the first byte, before it is moved to a place where the text may be cut.
        stop: the byte after the last one, likewise; None if the input can only be read as a whole.
        size: size of the whole file when it was divided; None if unknown.
    """

    name: Input
    start: int = 0
    stop: Optional[int] = None
    size: Optional[int] = None

    @property
    def shown(self) -> str:
        """The name for messages."""
        return shown_name(self.name)


def divide(names: Sequence[Input], split_size: int) -> List[Span]:
    """Cuts inputs into spans of about ``split_size`` bytes, in the order of the text.

    Compressed files, pipes and standard input stay whole.

    Raises:
        OSError: If an input is missing, is a folder, or cannot be read.
    """
    spans: List[Span] = []
    for name in names:
        size = _size(name)
        if size is None:
            spans.append(Span(name))
            continue
        with open_input(name) as stream:
            whole = compression_of(stream.read(LONGEST_MAGIC)) is not None
        if whole or size == 0:
            spans.append(Span(name, size=size))
            continue
        starts = range(0, size, split_size)
        spans += [Span(name, at, min(at + split_size, size), size) for at in starts]
    return spans


def blocks_of(span: Span, size: int = _BLOCK) -> Iterator[bytes]:
    """Yields the bytes of a span in non-empty blocks; blocks inside the span are cut anywhere.

    Raises:
        ValueError: If the file's size has changed since it was divided, the text is UTF-16, or
            compressed data is broken.
        OSError: If it cannot be read.
    """
    if span.stop is None:
        with open_text(span.name) as (read, _):
            while block := read(size):
                if span.size == 0:
                    raise _changed(span, len(block))
                yield block
        return
    with open_input(span.name) as stream:
        _check_size(span, stream)
        left = _first_cut(stream, span.stop) - (begin := _first_cut(stream, span.start))
        stream.seek(begin)
        while left > 0:
            block = stream.read(min(size, left))
            if not block:
                _check_size(span, stream)
                raise _changed(span, span.stop - left)
            if stream.tell() == len(block):
                check_encoding(block, span.shown)
            yield block
            left -= len(block)
        _check_size(span, stream)


def last_cut(block: bytes) -> int:
    """The last position where a block may be cut; 0 if there is none."""
    at = len(block)
    while at > 0:
        at = max(block.rfind(b"\n", 0, at), block.rfind(b" ", 0, at))
        # It is unknown what precedes a space at the very start.
        if at > 0 and (block[at] == 0x0A or block[at - 1] != 0x0D):
            return at + 1
    return 1 if block.startswith(b"\n") else 0


def lines_before(span: Span) -> int:
    """Counts the lines that end before the span; only error messages need it."""
    if span.stop is None:
        return 0
    lines = 0
    with open_input(span.name) as stream:
        left = _first_cut(stream, span.start)
        stream.seek(0)
        while left > 0 and (block := stream.read(min(_BLOCK, left))):
            lines += block.count(b"\n")
            left -= len(block)
    return lines


def _first_cut(stream: BinaryIO, offset: int) -> int:
    """The first position at or after ``offset`` where the text may be cut, or the end of the text."""
    if offset == 0:
        return 0
    at = max(offset - 2, 0)
    stream.seek(at)
    block = stream.read(_BLOCK)
    found = _CUT.search(block, offset - 1 - at)
    while found is None and (more := stream.read(_BLOCK)):
        at += len(block) - 1
        block = block[-1:] + more
        found = _CUT.search(block, 1)
    return at + (len(block) if found is None else found.end())


def _size(name: Input) -> Optional[int]:
    """The size of a regular file; None for inputs that can only be read sequentially."""
    if not isinstance(name, (str, os.PathLike)) or os.fspath(name) == STANDARD_STREAM:
        return None
    name = os.fspath(name)
    if is_url(name):
        files, path = import_extra("fsspec", "cluster").core.url_to_fs(name)
        if files.isdir(path):
            raise IsADirectoryError(21, "Is a directory", name)
        return files.size(path)
    status = Path(name).stat()
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(21, "Is a directory", name)
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _check_size(span: Span, stream: BinaryIO) -> None:
    size = stream.seek(0, os.SEEK_END)
    if size != span.size:
        raise _changed(span, size)


def _changed(span: Span, size: int) -> ValueError:
    return ValueError(
        f"{span.shown}: had {span.size} bytes at first and {size} later; it must not change while it "
        "is being counted: count it again"
    )
