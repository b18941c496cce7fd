"""``char_level``: one symbol per character."""

import re
from typing import Optional

from fairseq_subword_ext.codecs.byte_notation import SpaceMarks
from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.notation import Notation, Sample
from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.byte_text import SPACE_SYMBOL, checked_line
from fairseq_subword_ext.subword.escaping import (
    ESCAPE,
    UNICODE_SPACES,
    escape_character,
    is_control,
    unescape,
)
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.block_stream import BlockCoder

_SPECIAL = re.compile(f"[{UNICODE_SPACES}{ESCAPE}{SPACE_SYMBOL}]")
_ESCAPED_CHARACTER = re.compile(f"{ESCAPE}[0-9A-F]{{1,6}};")


class Characters(SpaceMarks):
    """Single characters; those that Fairseq would misread are escaped."""

    single = True
    native = "characters"

    def decode(self, line: str) -> str:
        if not line[1::2].strip(" "):  # single characters only, as in nearly every line
            return line[::2].replace(" ", "").replace(SPACE_SYMBOL, " ").replace("\n", " ")
        return "".join(map(self._character, line.split(" "))).replace("\n", " ")

    @staticmethod
    def _character(symbol: str) -> str:
        if is_control(symbol):
            return ""
        return unescape(symbol.replace(SPACE_SYMBOL, " "))

    def recognizes(self, sample: Sample) -> bool:
        return bool(sample.tokens) and all(
            len(token) == 1 or _ESCAPED_CHARACTER.fullmatch(token) for token in sample.tokens
        )


class CharLevel(Codec):
    """One symbol per character: the line ``hi ñ`` is ``h i ▁ ñ``.

    A space is ``▁``. Characters that Fairseq would read as separators, U+2581 itself and U+241B
    are one symbol each as well, escaped as in :mod:`.escaping`: ``␛A0;`` for U+00A0, ``␛2581;`` for
    U+2581. No other symbol is longer than one character, so nothing can be mistaken for an escape or
    a control symbol.
    """

    name = "char_level"

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return Characters(cls.name)

    def encode(self, line: str) -> str:
        line = checked_line(line, self.options.errors)
        if _SPECIAL.search(line):
            return " ".join(map(_symbol, line))
        return " ".join(line.replace(" ", SPACE_SYMBOL))

    def block_coder(
        self, carriage_return: str = "error", name: str = "input", seed: Optional[int] = None
    ) -> BlockCoder:
        try:
            core = native_core()
        except ImportError:
            return super().block_coder(carriage_return, name)
        return BlockCoder(
            lambda block, first_line: core.characters_of_text(block, carriage_return, first_line),
            core.TextSegmenter.count_lines,
        )


def _symbol(character: str) -> str:
    if character == " ":
        return SPACE_SYMBOL
    return escape_character(character) if _SPECIAL.match(character) else character
