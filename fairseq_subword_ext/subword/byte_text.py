"""Byte text: every byte of a line's UTF-8 written as one printable character.

Byte-level subwords are learned and segmented on such text, and models emit it. The stand-ins are
fairseq's (bytes 33-126, 161-172 and 174-255 stand for themselves, the others for U+0100 + byte),
with one change: byte 32 is always U+2581, so that a run of spaces, or a U+2581 of the text itself
(three other symbols: â ĸ ģ), cannot be mistaken for anything else.

Byte text has no end-of-word marker. Every word starts with U+2581, the first one too: a line is
encoded with one U+2581 in front, and decoding drops exactly one. An empty line stays empty.

The way back is in :mod:`fairseq_subword_ext.subword.utf8`.

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
# The codec machinery builds its fast table only where byte 0 is U+0000, and a slow dictionary
# elsewhere; byte 0 therefore takes that detour in `symbols_to_bytes`.
_ENCODING_MAP = codecs.charmap_build("\0" + _DECODING_TABLE[1:])

ERRORS = ("strict", "replace")


def to_byte_text(text: str, errors: str = "strict") -> str:
    """Writes one line as byte text.

    Args:
        text: a line without its newline.
        errors: "strict", or "replace" for U+FFFD in the place of a lone surrogate and a space in
            the place of a newline.

    Returns:
        One symbol a byte, U+2581 in front; the empty string for an empty line.

    Raises:
        ValueError: naming the position of a lone surrogate or a newline.
    """
    text = checked_line(text, errors)
    return SPACE_SYMBOL + bytes_to_symbols(text.encode("utf-8")) if text else ""


def to_byte_texts(lines: Sequence[str], errors: str = "strict") -> list[str]:
    """:func:`to_byte_text` of every line, at a fraction of the cost of one call a line.

    Raises:
        ValueError: naming the line, from 1, and the position in it.
    """
    lines = checked_lines(lines, errors)
    if not lines:
        return []
    # No line holds a newline, so its symbol tells them apart again.
    symbols = NEWLINE_SYMBOL + bytes_to_symbols("\n".join(lines).encode("utf-8"))
    words = symbols.replace(NEWLINE_SYMBOL, NEWLINE_SYMBOL + SPACE_SYMBOL)
    return [line if len(line) > 1 else "" for line in words.split(NEWLINE_SYMBOL)[1:]]


def checked_lines(lines: Sequence[str], errors: str = "strict") -> Sequence[str]:
    """:func:`checked_line` of every line, at a fraction of the cost where nothing is wrong.

    Raises:
        ValueError: naming the line, from 1, and the position in it.
    """
    check_errors(errors)
    joined = "\n".join(lines)
    if joined.count("\n") == max(len(lines) - 1, 0):
        with contextlib.suppress(UnicodeEncodeError):
            joined.encode("utf-8")
            return lines
    return [checked_line(line, errors, f"line {number}, ") for number, line in enumerate(lines, 1)]


def checked_line(text: str, errors: str = "strict", where: str = "") -> str:
    """Makes sure that a line can be written as UTF-8 and read back as the same one line.

    Args:
        text: the line without its newline.
        errors: "strict" or "replace", as in :func:`to_byte_text`.
        where: put in front of the error's position.

    Raises:
        ValueError: as :func:`to_byte_text`.
    """
    text = checked_text(text, errors, where)
    newline = text.find("\n")
    if newline < 0:
        return text
    if errors == "replace":
        return text.replace("\n", " ")
    raise ValueError(
        f"{where}character {newline + 1}: found a newline inside the text; give one line at a "
        "time, or ask for replacement (errors 'replace')"
    )


def checked_text(text: str, errors: str = "strict", where: str = "") -> str:
    """Makes sure that a text can be written as UTF-8: holds no lone surrogate.

    Args:
        text: any text.
        errors: "strict" or "replace", as in :func:`to_byte_text`.
        where: put in front of the error's position.

    Raises:
        ValueError: naming the position of a lone surrogate.
    """
    check_errors(errors)
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError as error:
        if errors == "replace":
            # A high surrogate followed by a low one, as some JSON readers leave it, is a character.
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        raise ValueError(
            f"{where}character {error.start + 1}: found the lone surrogate "
            f"U+{ord(text[error.start]):04X}, which UTF-8 cannot hold; repair the text, or ask for "
            "replacement (errors 'replace')"
        ) from None


def check_errors(errors: str) -> None:
    """Refuses a treatment of errors that does not exist.

    Raises:
        ValueError: If it is none of :data:`ERRORS`.
    """
    if errors not in ERRORS:
        raise ValueError(f"errors: expected one of {', '.join(ERRORS)}, found {errors!r}")


def bytes_to_symbols(data: bytes) -> str:
    """Writes any bytes as their stand-ins, one symbol a byte."""
    return codecs.charmap_decode(data, "strict", _DECODING_TABLE)[0]


def symbols_to_bytes(symbols: str) -> bytes:
    """The bytes that symbols stand for; characters that stand for none are left out."""
    standing = symbols.replace("\0", "").replace(BYTE_SYMBOLS[0], "\0")
    return codecs.charmap_encode(standing, "ignore", _ENCODING_MAP)[0]
