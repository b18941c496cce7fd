"""Recovers text from the possibly invalid UTF-8 that byte-level models emit.

Source: Wang, Cho & Gu 2020, section 2.2 and Equation 1.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.byte_text import (
    BYTE_SYMBOLS,
    NEWLINE_SYMBOL,
    SPACE_SYMBOL,
    bytes_to_symbols,
    symbols_to_bytes,
    to_byte_text,
    to_byte_texts,
)
from fairseq_subword_ext.subword.escaping import CONTROL_PATTERN, CONTROL_STRINGS

__all__ = [
    "BYTE_SYMBOLS",
    "SPACE_SYMBOL",
    "DecodeReport",
    "bytes_to_symbols",
    "decode_report",
    "decode_to_bytes",
    "from_byte_text",
    "from_byte_texts",
    "recover_by_equation",
    "recover_utf8",
    "symbols_to_bytes",
    "to_byte_text",
    "to_byte_texts",
]

MAX_CHARACTER_BYTES = 4

# Longer input goes to Python's own decoder, which gives the same result a hundred times faster.
EQUATION_LIMIT = 1024

# A model may emit Fairseq's own symbols. They represent no byte, and no encoder produces them.
_CONTROL_SYMBOL = re.compile(rf"(?<![^ ])(?:{CONTROL_PATTERN})(?![^ ])")
# A line without any of these contains no control symbol; plain searches are faster than the pattern.
_CONTROL_HINTS = (*CONTROL_STRINGS, "madeupword")


def recover_utf8(data: bytes) -> str:
    """Recovers as many characters as possible from possibly invalid UTF-8, in linear time.

    The result is that of :func:`recover_by_equation`, and it is unique: a first byte determines the
    length of its character and no other byte can be a first byte, so valid characters never overlap and
    keeping all of them is optimal. For the same reason it equals the output of a decoder that ignores
    errors, which is used if the input is valid or long.

    Args:
        data: any bytes.

    Returns:
        The text. Bytes of no valid character are dropped; U+FFFD appears only if the bytes spell it.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        if len(data) > EQUATION_LIMIT:
            return data.decode("utf-8", "ignore")
        return recover_by_equation(data)


def recover_by_equation(data: bytes) -> str:
    """The dynamic program of Wang, Cho & Gu 2020, Equation 1, with backtracking.

    With f(k) the maximum number of characters recoverable from the first k bytes::

        f(k) = max over t = 1, 2, 3, 4 of  f(k - t) + g(k - t + 1, k)

    where g(i, j) is 1 if bytes i to j are one valid character and 0 otherwise, and f(0) = 0.
    """
    best = [0] * (len(data) + 1)
    # The start of the last span in the best solution for the first k bytes.
    start = [0] * (len(data) + 1)
    for k in range(1, len(data) + 1):
        best[k], start[k] = max(
            ((best[k - t] + is_character(data[k - t : k]), k - t) for t in _spans(k)),
        )
    characters = []
    k = len(data)
    while k > 0:
        if best[k] > best[start[k]]:
            characters.append(data[start[k] : k].decode("utf-8"))
        k = start[k]
    return "".join(reversed(characters))


def _spans(k: int) -> range:
    """The possible lengths t of a character that ends at byte k."""
    return range(1, min(MAX_CHARACTER_BYTES, k) + 1)


def is_character(data: bytes) -> bool:
    """g of Equation 1: whether the bytes are exactly one valid character."""
    try:
        return len(data.decode("utf-8")) == 1
    except UnicodeDecodeError:
        return False


def from_byte_text(line: str) -> str:
    """Decodes a line of byte text, segmented or not; never raises, even on malformed output of a model.

    Invalid UTF-8 is recovered by :func:`recover_utf8`; characters and control symbols that represent no
    byte are dropped; a newline, which no line contains, becomes a space.

    Args:
        line: byte text, its subwords separated by spaces.
    """
    return recover_utf8(decode_to_bytes(line).replace(b"\n", b" "))


def from_byte_texts(lines: Sequence[str], num_workers: int = 1) -> list[str]:
    """Applies :func:`from_byte_text` to every line, much faster than one call per line.

    Args:
        lines: byte text.
        num_workers: threads of the compiled core; ignored without it.
    """
    try:
        core = native_core()
    except ImportError:
        return _from_byte_texts(lines)
    return core.decode_byte_texts(lines if isinstance(lines, list) else list(lines), num_workers)


def _from_byte_texts(lines: Sequence[str]) -> list[str]:
    """Does the same without the compiled core."""
    joined = "\n".join(lines)
    if NEWLINE_SYMBOL in joined or joined.count("\n") != len(lines) - 1:
        return [from_byte_text(line) for line in lines]
    if _may_hold_controls(joined):
        joined = "\n".join(map(_drop_controls, lines))
    symbols = joined.replace(" ", "").replace("\n", NEWLINE_SYMBOL)
    data = b"\n" + symbols_to_bytes(symbols)
    return data.replace(b"\n ", b"\n")[1:].decode("utf-8", "ignore").split("\n")


def decode_to_bytes(line: str) -> bytes:
    """Returns the bytes that a line of byte text represents, valid UTF-8 or not; never raises.

    Args:
        line: byte text, its subwords separated by spaces. The U+2581 at the start is dropped, and so are
            characters and control symbols that represent no byte.
    """
    data = symbols_to_bytes(_drop_controls(line).replace(" ", ""))
    return data[1:] if data.startswith(b" ") else data


def _may_hold_controls(text: str) -> bool:
    return any(hint in text for hint in _CONTROL_HINTS)


def _drop_controls(line: str) -> str:
    return _CONTROL_SYMBOL.sub("", line) if _may_hold_controls(line) else line


@dataclass(frozen=True)
class DecodeReport:
    """What decoding one line kept and lost.

    Attributes:
        text: the line, as returned by :func:`from_byte_text`.
        dropped_bytes: bytes that belong to no valid character.
        unknown_symbols: control symbols, and characters that represent no byte.
    """

    text: str
    dropped_bytes: int
    unknown_symbols: int


def decode_report(line: str) -> DecodeReport:
    """Decodes a line of byte text and counts what was lost; never raises."""
    text = from_byte_text(line)
    dropped = len(decode_to_bytes(line)) - len(text.encode("utf-8"))
    uncontrolled, controls = _CONTROL_SYMBOL.subn("", line)
    symbols = uncontrolled.replace(" ", "")
    return DecodeReport(text, dropped, controls + len(symbols) - len(symbols_to_bytes(symbols)))
