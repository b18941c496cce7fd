"""The lines that fairseq-interactive reads, checked before it translates any of them."""

import re
import sys
from pathlib import Path
from typing import Sequence

STANDARD_INPUT = "-"

_LONE_CARRIAGE_RETURN = re.compile(rb"\r(?!\n|\Z)")
# What Python makes of a byte that is not UTF-8, so that it can be reported with its line.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def check_input_file(path: str) -> None:
    r"""Makes sure that Fairseq can read a file, and sees the lines that everybody else sees.

    Raises:
        ValueError: If a line is not UTF-8, or holds a ``\r``, at which fairseq-interactive would
            split it; names the line.
        OSError: If the file cannot be read.
    """
    with Path(path).open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            match = _LONE_CARRIAGE_RETURN.search(line)
            if match is not None:
                raise ValueError(
                    f"{path}, line {number}: a carriage return within the line (byte "
                    f"{match.start() + 1}), at which fairseq-interactive would split it, so that "
                    "outputs no longer match inputs; replace it (tr '\\r' ' ' if lines end in \\n "
                    "alone), or give the text on standard input"
                )
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise _not_utf8(path, number, error.start, line[error.start]) from None


def read_standard_input_as_utf8() -> None:
    """Makes standard input UTF-8 whatever the locale; :func:`check_lines` reports what is not."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")


def check_lines(lines: Sequence[str], first_line: int) -> None:
    """Makes sure that lines of standard input were UTF-8.

    Args:
        lines: the lines.
        first_line: how many came before.

    Raises:
        ValueError: If one was not; names the line.
    """
    for number, line in enumerate(lines, start=first_line + 1):
        match = _NOT_UTF8.search(line)
        if match is not None:
            place = len(line[: match.start()].encode("utf-8"))
            raise _not_utf8("standard input", number, place, ord(match[0]) - 0xDC00)


def _not_utf8(source: str, number: int, place: int, byte: int) -> ValueError:
    return ValueError(
        f"{source}, line {number}: not UTF-8 (byte {place + 1} is 0x{byte:02X}); convert the text, "
        "for instance with iconv -t UTF-8"
    )
