"""Text errors that carry a line number, and checks of numbers given by users."""

import operator
from typing import Any, Optional

# The error for a ``\\r`` inside a line; the C++ core has the same text.
LONE_CARRIAGE_RETURN = (
    "found a carriage return inside the line, where Fairseq and other tools would split the "
    "line; remove it, or read it as a space (--carriage-return replace)"
)

LARGEST_COUNT = (1 << 63) - 1


class LineError(ValueError):
    """A line of a text cannot be used.

    Attributes:
        problem: what is wrong with the line.
        line: its number, from 1.
        name: the text's name; None if only the caller knows it.
    """

    def __init__(self, problem: str, line: int, name: Optional[str] = None):
        super().__init__(problem, line, name)
        self.problem = problem
        self.line = line
        self.name = name

    def __str__(self) -> str:
        where = f"line {self.line}" if self.name is None else f"{self.name}:{self.line}"
        return f"{where}: {self.problem}"

    def moved(self, lines_before: int, name: Optional[str] = None) -> "LineError":
        """Returns the same error relative to a larger text that contains this one."""
        return LineError(self.problem, self.line + lines_before, name or self.name)


def whole_number(what: str, value: Any, least: int = 0, most: int = LARGEST_COUNT) -> int:
    """Checks a number that the compiled core counts with.

    Args:
        what: the number's name, for the message.
        value: the value given.
        least, most: the smallest and the largest value allowed.

    Raises:
        ValueError: If the value is not a whole number, or is out of range.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{what} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        largest = "2^63 - 1" if most == LARGEST_COUNT else f"{most}"
        raise ValueError(f"{what} must be from {least} to {largest}, not {number}")
    return number
