"""Byte text: every byte of a line's UTF-8 written as one printable character.

Byte-level subwords are learned and segmented on byte text, and models emit it. The stand-ins are
fairseq's (bytes 33-126, 161-172 and 174-255 represent themselves, all others are U+0100 + byte),
with one change: byte 32 is always U+2581, so that neither a run of spaces nor a U+2581 in the text
(three other symbols: â ĸ ģ) is ambiguous.

Byte text has no end-of-word marker. Every word starts with U+2581, including the first: a line is
encoded with one U+2581 in front, and decoding drops exactly one. An empty line stays empty.

Decoding is in :mod:`fairseq_subword_ext.subword.utf8`.

Source: Wang, Cho & Gu 2020, section 2.1 (byte-level representation).
"""

import codecs
import contextlib
from collections.abc import Sequence

SPACE_SYMBOL = "\u2581"

_SELF_STANDING = {*range(33, 127), *range(161, 173), *range(174, 256)}


def _stand_in(byte: int) -> str:
    if byte == 0x20:
        return SPACE_SYMBOL
    return chr(byte if byte in _SELF_STANDING else 0x100 + byte)


# The 256 stand-ins by byte value.
BYTE_SYMBOLS = tuple(_stand_in(byte) for byte in range(256))
NEWLINE_SYMBOL = BYTE_SYMBOLS[ord("\n")]

_DECODING_TABLE = "".join(BYTE_SYMBOLS)
# charmap_build() makes a fast table only if byte 0 is U+0000, and a slow dictionary otherwise;
# `symbols_to_bytes` therefore translates byte 0 separately.
_ENCODING_MAP = codecs.charmap_build("\0" + _DECODING_TABLE[1:])

ERRORS = ("strict", "replace")


def to_byte_text(text: str, errors: str = "strict") -> str:
    """Writes one line as byte text.

    Args:
        text: a line without its newline.
        errors: "strict", or "replace" to turn a lone surrogate into U+FFFD and a newline into a space.

    Returns:
        One symbol per byte, with U+2581 in front; the empty string for an empty line.

    Raises:
        ValueError: If there is a lone surrogate or a newline; names the position.
    """
    text = checked_line(text, errors)
    return SPACE_SYMBOL + bytes_to_symbols(text.encode("utf-8")) if text else ""


def to_byte_texts(lines: Sequence[str], errors: str = "strict") -> list[str]:
    """Applies :func:`to_byte_text` to every line, much faster than one call per line.

    Raises:
        ValueError: If there is a lone surrogate or a newline; names the line, from 1, and the position.
    """
    lines = checked_lines(lines, errors)
    if not lines:
        return []
    # No line contains a newline, so its symbol separates the lines again.
    symbols = NEWLINE_SYMBOL + bytes_to_symbols("\n".join(lines).encode("utf-8"))
    words = symbols.replace(NEWLINE_SYMBOL, NEWLINE_SYMBOL + SPACE_SYMBOL)
    return [line if len(line) > 1 else "" for line in words.split(NEWLINE_SYMBOL)[1:]]


def checked_lines(lines: Sequence[str], errors: str = "strict") -> Sequence[str]:
    """Applies :func:`checked_line` to every line, much faster if nothing is wrong.

    Raises:
        ValueError: If there is a lone surrogate or a newline; names the line, from 1, and the position.
    """
    check_errors(errors)
    joined = "\n".join(lines)
    if joined.count("\n") == max(len(lines) - 1, 0):
        with contextlib.suppress(UnicodeEncodeError):
            joined.encode("utf-8")
            return lines
    return [checked_line(line, errors, f"line {number}, ") for number, line in enumerate(lines, 1)]


def checked_line(text: str, errors: str = "strict", where: str = "") -> str:
    """Checks that a line can be written as UTF-8 and read back as the same single line.

    Args:
        text: the line without its newline.
        errors: "strict" or "replace", as in :func:`to_byte_text`.
        where: prefix of the position in messages.

    Raises:
        ValueError: If there is a lone surrogate or a newline; names the position.
    """
    text = checked_text(text, errors, where)
    newline = text.find("\n")
    if newline < 0:
        return text
    if errors == "replace":
        return text.replace("\n", " ")
    raise ValueError(
        f"{where}character {newline + 1}: found a newline inside the text; pass one line at a "
        "time, or replace it (errors 'replace')"
    )


def checked_text(text: str, errors: str = "strict", where: str = "") -> str:
    """Checks that a text can be written as UTF-8: that it has no lone surrogate.

    Args:
        text: any text.
        errors: "strict" or "replace", as in :func:`to_byte_text`.
        where: prefix of the position in messages.

    Raises:
        ValueError: If there is a lone surrogate; names the position.
    """
    check_errors(errors)
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError as error:
        if errors == "replace":
            # A high surrogate followed by a low one, which some JSON readers produce, is a character.
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        raise ValueError(
            f"{where}character {error.start + 1}: found the lone surrogate "
            f"U+{ord(text[error.start]):04X}, which UTF-8 cannot encode; repair the text, or replace it "
            "(errors 'replace')"
        ) from None


def check_errors(errors: str) -> None:
    """Checks the name of an error handling.

    Raises:
        ValueError: If it is not one of :data:`ERRORS`.
    """
    if errors not in ERRORS:
        raise ValueError(f"errors must be one of {', '.join(ERRORS)}, not {errors!r}")


def bytes_to_symbols(data: bytes) -> str:
    """Writes any bytes as their stand-ins, one symbol per byte."""
    return codecs.charmap_decode(data, "strict", _DECODING_TABLE)[0]


def symbols_to_bytes(symbols: str) -> bytes:
    """Returns the bytes that symbols represent; characters that represent none are dropped."""
    mapped = symbols.replace("\0", "").replace(BYTE_SYMBOLS[0], "\0")
    return codecs.charmap_encode(mapped, "ignore", _ENCODING_MAP)[0]
