"""Detects the encoding of a text from its first bytes."""

import codecs
from typing import Optional

BYTE_ORDER_MARK = codecs.BOM_UTF8

# Bytes to inspect; enough for a few lines of any text.
HEAD_SIZE = 1 << 12

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FEWEST_NULS = 2


def check_encoding(head: bytes, name: str) -> None:
    """Rejects UTF-16, most of which would pass as UTF-8 full of NUL characters.

    Args:
        head: the first bytes of the text.
        name: the text's name, for the message.

    Raises:
        ValueError: If the text is UTF-16, with or without a byte-order mark.
    """
    form = utf16_form(head[:HEAD_SIZE])
    if form is not None:
        raise ValueError(f"{name}: this is {form} text; convert it with `iconv -f {form} -t UTF-8`")


def utf16_form(head: bytes) -> Optional[str]:
    """Detects which form of UTF-16 a text starts in; None if it is not UTF-16.

    Without a byte-order mark, the spaces and line ends decide: at least half of them have a NUL on the
    side where UTF-16 puts it, and nearly all NULs are the same half of their characters.
    """
    if head.startswith(_UTF16_MARKS):
        return "UTF-16"
    if head.count(b"\0") < _FEWEST_NULS:
        return None
    spaces = head.count(b" ") + head.count(b"\n")
    for form, high, separators in (
        ("UTF-16LE", 1, (b" \0", b"\n\0")),
        ("UTF-16BE", 0, (b"\0 ", b"\0\n")),
    ):
        paired = sum(head.count(separator) for separator in separators)
        other_half = head[1 - high :: 2].count(b"\0")
        if paired and 2 * paired >= spaces and 10 * other_half <= head.count(b"\0"):
            return form
    return None


def byte_order_mark_warning(what: str) -> str:
    """The warning about texts that start with a byte-order mark; ``what`` is how the sentence begins."""
    return (
        f"{what} with a byte-order mark (U+FEFF), which stays part of the first word; remove it, for "
        "example with sed '1s/^\\xEF\\xBB\\xBF//'"
    )
