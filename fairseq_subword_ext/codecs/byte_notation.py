"""Notations that write a space as U+2581, including byte text."""

import re
from collections.abc import Sequence
from typing import List, Optional

from fairseq_subword_ext.codecs.notation import BOUNDARY, Losses, Notation, Sample
from fairseq_subword_ext.subword.byte_text import (
    BYTE_SYMBOLS,
    SPACE_SYMBOL,
    symbols_to_bytes,
    to_byte_texts,
)
from fairseq_subword_ext.subword.escaping import unescape
from fairseq_subword_ext.subword.utf8 import decode_report, from_byte_text, from_byte_texts
from fairseq_subword_ext.textio.pipeline import available_processors

_SPACE = SPACE_SYMBOL.encode("utf-8")
# The continuation bytes of UTF-8, as byte text writes them.
_CONTINUATION = re.compile("[" + re.escape("".join(BYTE_SYMBOLS[0x80:0xC0])) + "]")
_ALPHABET = frozenset(BYTE_SYMBOLS)


class SpaceMarks(Notation):
    """Tokens that contain the spaces, as U+2581; characters stay as they are."""

    marks_spaces = True

    def words(self, block: bytes) -> bytes:
        # No boundary at the end of a word: with and without one it would count as two types.
        return (
            block.replace(b" ", BOUNDARY.encode())
            .replace(BOUNDARY.encode() + _SPACE, b" ")
            .replace(_SPACE, b" ")
        )

    def raw(self, text: str) -> str:
        return unescape(text.replace(" ", "").replace(SPACE_SYMBOL, " "))

    def starts_word(self, token: str, before: Optional[str]) -> bool:
        return before is None or token.startswith(SPACE_SYMBOL)


class ByteText(SpaceMarks):
    """Byte text: symbols are bytes, and every line starts with a U+2581 that decoding drops.

    Args:
        encoder: the encoding's name.
        single: whether every token is a single byte.
    """

    bytewise = True
    native = "bytes"

    def __init__(self, encoder: str = "bbpe", single: bool = False):
        super().__init__(encoder)
        self.single = single

    def decode(self, line: str) -> str:
        return from_byte_text(line)

    def decode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        return from_byte_texts(lines, num_workers or available_processors())

    def recognizes(self, sample: Sample) -> bool:
        return (
            bool(sample.tokens)
            and all(line.startswith(SPACE_SYMBOL) for line in sample.lines)
            and _ALPHABET.issuperset(character for token in sample.tokens for character in token)
            and (not self.single or all(len(token) == 1 for token in sample.tokens))
        )

    def losses(self, lines: Sequence[str], texts: Sequence[str]) -> Losses:
        losses = Losses()
        for line, again in zip(lines, to_byte_texts(texts)):
            if line.replace(" ", "") != again:
                report = decode_report(line)
                losses.add(Losses(report.dropped_bytes, report.unknown_symbols))
        return losses

    def raw(self, text: str) -> str:
        plain = without_first_space(text.replace(" ", ""))
        return _CONTINUATION.sub("", plain).replace(SPACE_SYMBOL, " ")

    def is_partial(self, token: str) -> bool:
        try:
            symbols_to_bytes(token).decode("utf-8")
        except UnicodeDecodeError:
            return True
        return False

    def has_all(self, token: str) -> bool:
        return token in _ALPHABET


def without_first_space(text: str) -> str:
    """Drops the U+2581 at the start of every line."""
    return f"\n{text}".replace(f"\n{SPACE_SYMBOL}", "\n")[1:]
