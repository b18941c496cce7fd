"""Reads a command's inputs as one stream of lines, with a progress bar, and warnings at the end."""

from pathlib import Path
from typing import Optional, Sequence, Type

from fairseq_subword_ext.cli.common import log, progress_bar
from fairseq_subword_ext.textio.encoding import byte_order_mark_warning
from fairseq_subword_ext.textio.files import STANDARD_STREAM
from fairseq_subword_ext.textio.text_input import TextInput


class JoinedInput(TextInput):
    """A :class:`.TextInput` with a progress bar.

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
                log(byte_order_mark_warning(f"{name}: begins"))

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
