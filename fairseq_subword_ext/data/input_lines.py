"""Checks the lines that fairseq-interactive reads before it translates any of them."""

import re
import sys
from pathlib import Path
from typing import Sequence

STANDARD_INPUT = "-"

_LONE_CARRIAGE_RETURN = re.compile(rb"\r(?!\n|\Z)")
# Python decodes an invalid byte to one of these, so that it can be reported with its line.
_NOT_UTF8 = re.compile("[\udc80-\udcff]")


def check_input_file(path: str) -> None:
    r"""Checks that Fairseq can read a file, and splits it into the same lines as other tools do.

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
                    f"{path}, line {number}: a carriage return inside the line (byte "
                    f"{match.start() + 1}), at which fairseq-interactive would split it, so that "
                    "outputs no longer match inputs; replace it (tr '\\r' ' ' if lines end in \\n "
                    "only), or pipe the text to standard input"
                )
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise _not_utf8(path, number, error.start, line[error.start]) from None


def read_standard_input_as_utf8() -> None:
    """Decodes standard input as UTF-8 regardless of the locale; :func:`check_lines` reports invalid bytes."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")


def check_lines(lines: Sequence[str], first_line: int) -> None:
    """Checks that lines of standard input were UTF-8.

    Args:
        lines: the lines.
        first_line: the number of lines before them.

    Raises:
        ValueError: If a line was not; names it.
    """
    for number, line in enumerate(lines, start=first_line + 1):
        match = _NOT_UTF8.search(line)
        if match is not None:
            position = len(line[: match.start()].encode("utf-8"))
            raise _not_utf8("standard input", number, position, ord(match[0]) - 0xDC00)


def _not_utf8(source: str, number: int, position: int, byte: int) -> ValueError:
    return ValueError(
        f"{source}, line {number}: not UTF-8 (byte {position + 1} is 0x{byte:02X}); convert the text, "
        "for example with iconv -t UTF-8"
    )
