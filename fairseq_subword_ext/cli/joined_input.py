"""Several inputs read as one stream of lines."""

import re
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, List, Optional, Sequence, Tuple

from fairseq_subword_ext.cli.common import note, progress_bar
from fairseq_subword_ext.subword.files import STANDARD_STREAM, binary_reader

_BLOCK = 1 << 22


class JoinedInput:
    """A readable binary stream over several inputs, which knows where each line came from.

    A last line without its newline gets one before the next input, so that inputs never share a line.

    Args:
        names: files, or ``-`` for standard input.
        doing: what the progress bar says.

    Attributes:
        name: the inputs' names, for messages.
    """

    def __init__(self, names: Sequence[str], doing: str):
        self.name = ", ".join(map(_shown, names))
        self._names = list(names)
        self._opened = 0
        self._stack = ExitStack()
        self._bar = progress_bar(doing, _total_size(names), unit="B", unit_scale=True)
        self._current: Optional[BinaryIO] = None
        self._ends_in_newline = True
        self._last_byte = b""
        self._lines = 0
        self._first_lines: List[Tuple[int, str]] = []  # lines before an input, and its name
        self._carriage_returns = 0
        self._line_ends = 0

    def __enter__(self) -> "JoinedInput":
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.close()
        self._stack.close()

    def read1(self, size: int = _BLOCK) -> bytes:
        """What one read gives; empty at the end of the last input."""
        while True:
            block = self._current.read1(size) if self._current is not None else b""
            if block:
                self._account(block)
                return block
            if self._last_byte == b"\r":  # the end of a line that lacks its newline
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
        """As many bytes as asked, or what there is."""
        blocks: List[bytes] = []
        while size > 0 and (block := self.read1(size)):
            blocks.append(block)
            size -= len(block)
        return b"".join(blocks)

    def located(self, error: ValueError) -> ValueError:
        """The error with file and line, where it names a line of the stream.

        That is "line 12: ..." or, with this stream's name, "NAME:12: ...".
        """
        found = re.match(rf"(?:line |{re.escape(self.name)}:)([0-9]+)[:,] ", str(error))
        if found is None:
            return ValueError(f"{self.name}: {error}")
        line = int(found.group(1))
        before, name = [entry for entry in self._first_lines if entry[0] < line][-1]
        return ValueError(f"{_shown(name)}:{line - before}: {str(error)[found.end() :]}")

    def report_carriage_returns(self) -> None:
        """Says what was met, since it may surprise other tools."""
        lone = self._carriage_returns - self._line_ends
        if self._line_ends:
            note(f"{self.name}: {self._line_ends} lines end in \\r\\n; they still do")
        if lone:
            note(f"{self.name}: {lone} carriage returns inside lines")

    def _open_next(self) -> None:
        name = self._names[self._opened]
        self._current = self._stack.enter_context(binary_reader(name))
        self._opened += 1
        self._first_lines.append((self._lines, name))

    def _account(self, block: bytes) -> None:
        self._bar.update(len(block))
        if b"\r" in block or self._last_byte == b"\r":
            self._carriage_returns += block.count(b"\r")
            self._line_ends += block.count(b"\r\n")
            self._line_ends += self._last_byte == b"\r" and block.startswith(b"\n")
        if self._opened < len(self._names):  # the next input has to know
            self._lines += block.count(b"\n")
        self._last_byte = block[-1:]
        self._ends_in_newline = self._last_byte == b"\n"


def _shown(name: str) -> str:
    return "standard input" if name == STANDARD_STREAM else name


def _total_size(names: Sequence[str]) -> Optional[int]:
    """Bytes in all; None where that is not known."""
    paths = [Path(name) for name in names]
    if STANDARD_STREAM in names or not all(path.is_file() for path in paths):
        return None
    return sum(path.stat().st_size for path in paths)
