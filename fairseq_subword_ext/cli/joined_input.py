"""Reads a command's inputs as one stream of lines, with a progress bar and remarks at the end."""

from pathlib import Path
from typing import List, Optional, Sequence, Type

from fairseq_subword_ext.cli.common import log, progress_bar
from fairseq_subword_ext.textio.encoding import mark_remark
from fairseq_subword_ext.textio.files import STANDARD_STREAM
from fairseq_subword_ext.textio.lines import decode_block
from fairseq_subword_ext.textio.text_input import TextInput

_BLOCK = 1 << 22


class PeekedInput(TextInput):
    """:class:`.TextInput` whose first lines can be looked at before they are read."""

    _held = b""
    _given = 0

    def first_lines(self, number: int) -> List[str]:
        """The first lines, up to ``number`` that are not blank, without line ends and carriage returns.

        Call it once, before anything is read.

        Raises:
            ValueError: If a line is not UTF-8; names it.
        """
        held = bytearray()
        found: List[str] = []
        full = begin = searched = 0
        while full < number:
            end = held.find(b"\n", searched) + 1
            if not end:
                searched = len(held)
                held += super().read1()
                if len(held) > searched:
                    continue
                end = searched
                if begin == end:
                    break
            line = (
                decode_block(bytes(held[begin:end]), self.name, len(found))
                .rstrip("\r\n")
                .replace("\r", " ")
            )
            found.append(line)
            full += bool(line.strip(" "))
            begin = searched = end
        self._held = bytes(held)
        return found

    def read1(self, size: int = _BLOCK) -> bytes:
        if self._given < len(self._held):
            block = self._held[self._given : self._given + size]
            self._given += len(block)
            return block
        return super().read1(size)


class JoinedInput(PeekedInput):
    """A :class:`PeekedInput` with a progress bar.

    Args:
        names: files, or ``-`` for standard input.
        doing: the label of the progress bar.
    """

    def __init__(self, names: Sequence[str], doing: str):
        self._bar = progress_bar(doing, _total_size(names), unit="B", unit_scale=True)
        super().__init__(names, self._bar.update)

    def __exit__(self, kind: Optional[Type[BaseException]], *exception: object) -> None:
        self._bar.close()
        super().__exit__(kind, *exception)
        if kind is None:
            for name in self.with_mark:
                log(mark_remark(f"{name}: begins"))

    def report_carriage_returns(self) -> None:
        """Logs the carriage returns that were read, since other tools may trip over them."""
        report_carriage_returns(self.name, self.carriage_return_ends, self.lone_carriage_returns)


def report_carriage_returns(name: str, line_ends: int, lone: int) -> None:
    """Logs how many carriage returns a text has, if any."""
    if line_ends:
        log(f"{name}: {line_ends} lines end in \\r\\n; line ends are kept")
    if lone:
        log(f"{name}: {lone} carriage returns inside lines")


def _total_size(names: Sequence[str]) -> Optional[int]:
    """The total size in bytes; None if it is unknown."""
    paths = [Path(name) for name in names]
    if STANDARD_STREAM in names or not all(path.is_file() for path in paths):
        return None
    return sum(path.stat().st_size for path in paths)
