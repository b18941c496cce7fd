"""What the first bytes of a text say about its encoding."""

import codecs
from typing import Optional

BYTE_ORDER_MARK = codecs.BOM_UTF8

# Bytes that are looked at; enough for some lines of any text.
HEAD_SIZE = 1 << 12

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FEWEST_NULS = 2


def check_encoding(head: bytes, name: str) -> None:
    """Refuses UTF-16, most of which would pass as UTF-8 full of NUL characters.

    Args:
        head: the first bytes of the text.
        name: of the text, for the message.

    Raises:
        ValueError: If the text is UTF-16, with or without a byte-order mark.
    """
    form = utf16_form(head[:HEAD_SIZE])
    if form is not None:
        raise ValueError(f"{name}: this is {form} text; convert it with `iconv -f {form} -t UTF-8`")


def utf16_form(head: bytes) -> Optional[str]:
    """The form of UTF-16 that a text begins in; None for anything else.

    Without a byte-order mark it is known by its spaces and line ends: half of them or more have a NUL
    on the side where UTF-16 puts it, and nearly all NULs are the same half of their characters.
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


def mark_remark(what: str) -> str:
    """What to say of texts that begin with a byte-order mark."""
    return (
        f"{what} with a byte-order mark (U+FEFF), which stays part of the first word; take it out, for "
        "example with sed '1s/^\\xEF\\xBB\\xBF//'"
    )
