"""Reads several inputs as one stream of lines."""

from contextlib import ExitStack
from typing import Callable, List, Optional, Sequence, Tuple

from fairseq_subword_ext.textio.errors import LineError
from fairseq_subword_ext.textio.inputs import Input, open_text, shown_name
from fairseq_subword_ext.textio.lines import read_lines

_BLOCK = 1 << 22


class TextInput:
    """A readable binary stream over several inputs that tracks which input each line came from.

    Inputs compressed with gzip, xz or Zstandard are detected from their content and decompressed. A last
    line without a newline gets one before the next input, so that inputs never share a line.

    Args:
        names: files, fsspec URLs, or ``-`` for standard input.
        progress: called after each read with the number of bytes as stored, before decompression.

    Attributes:
        name: the inputs' names, for messages.
        with_mark: the names of the inputs read so far that start with a byte-order mark.
    """

    def __init__(self, names: Sequence[Input], progress: Callable[[int], None] = lambda size: None):
        self.name = ", ".join(map(shown_name, names))
        self.with_mark: List[str] = []
        self._names = list(names)
        self._progress = progress
        self._opened = 0
        self._stack = ExitStack()
        self._read_current: Optional[Callable[[int], bytes]] = None
        self._ends_in_newline = True
        self._last_byte = b""
        self._lines = 0
        self._first_lines: List[Tuple[int, Input]] = []  # lines before an input, and its name
        self._carriage_returns = 0
        self._line_ends = 0

    def __enter__(self) -> "TextInput":
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    @property
    def carriage_return_ends(self) -> int:
        """The number of lines so far that end in ``\\r\\n``."""
        return self._line_ends

    @property
    def lone_carriage_returns(self) -> int:
        """The number of carriage returns inside lines so far."""
        return self._carriage_returns - self._line_ends

    def read1(self, size: int = _BLOCK) -> bytes:
        """Returns the bytes of one read; empty at the end of the last input.

        Raises:
            ValueError: If compressed data is broken.
            OSError: If an input cannot be read.
        """
        while True:
            block = self._read_current(size) if self._read_current is not None else b""
            if block:
                self._account(block)
                return block
            if self._last_byte == b"\r":  # ends a line that lacks its newline
                self._line_ends += 1
                self._last_byte = b""
            if self._opened == len(self._names):
                return b""
            missing_newline = not self._ends_in_newline
            if missing_newline:
                self._account(b"\n")
            self._open_next()
            if missing_newline:
                return b"\n"

    def read(self, size: int = _BLOCK) -> bytes:
        """Returns as many bytes as asked for, or all that are left."""
        blocks: List[bytes] = []
        while size > 0 and (block := self.read1(size)):
            blocks.append(block)
            size -= len(block)
        return b"".join(blocks)

    def located(self, error: ValueError) -> ValueError:
        """Returns the error with the name of the input that its line is in, or with all their names."""
        if not isinstance(error, LineError):
            if any(str(error).startswith(f"{shown_name(name)}: ") for name in self._names):
                return error
            return ValueError(f"{self.name}: {error}")
        before, name = [entry for entry in self._first_lines if entry[0] < error.line][-1]
        return error.moved(-before, shown_name(name))

    def _open_next(self) -> None:
        name = self._names[self._opened]
        self._opened += 1
        self._first_lines.append((self._lines, name))
        read, has_mark = self._stack.enter_context(open_text(name, self._progress, whole=False))
        self._read_current = read
        if has_mark:
            self.with_mark.append(shown_name(name))

    def _account(self, block: bytes) -> None:
        if b"\r" in block or self._last_byte == b"\r":
            self._carriage_returns += block.count(b"\r")
            self._line_ends += block.count(b"\r\n")
            self._line_ends += self._last_byte == b"\r" and block.startswith(b"\n")
        if self._opened < len(self._names):  # the next input needs the number
            self._lines += block.count(b"\n")
        self._last_byte = block[-1:]
        self._ends_in_newline = self._last_byte == b"\n"


def read_text(path: Input, carriage_return: str = "error") -> List[str]:
    """Reads a text as a list of lines: a line ends at ``\\n`` or ``\\r\\n``, and empty lines count.

    Args:
        path: a file, compressed or not, or ``-`` for standard input. A byte-order mark at its start is
            dropped.
        carriage_return: what to do with a ``\\r`` inside a line: raise an "error", or "replace" it by a
            space.

    Raises:
        LineError: If a line is not UTF-8, or contains a carriage return.
        ValueError: If the text is UTF-16, or compressed data is broken.
        OSError: If the file cannot be read.
    """
    with TextInput([path]) as source:
        lines = list(read_lines(source, carriage_return, source.name))
    if source.with_mark:
        lines[0] = lines[0][1:]
    return lines
