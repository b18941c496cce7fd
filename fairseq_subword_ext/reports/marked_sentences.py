"""Breaks one segmented sentence into words, tokens and bytes for display.

In the style of Figures 1 and 5 of Wang, Cho & Gu 2020: word and token boundaries are visible, and bytes
that do not form a whole character are written in hexadecimal.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import List, Tuple

from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.subword.byte_text import SPACE_SYMBOL, symbols_to_bytes
from fairseq_subword_ext.subword.escaping import is_control, unescape
from fairseq_subword_ext.subword.utf8 import MAX_CHARACTER_BYTES

# Kinds of parts.
TEXT, SPACE, BYTES, CODE = "text", "space", "bytes", "code"

_JOINERS = "\u200c\u200d"
_RIGHT_TO_LEFT = ("R", "AL")

Part = Tuple[str, str]


@dataclass(frozen=True)
class Token:
    """A token as displayed.

    Attributes:
        parts: pairs of kind and display text: ``text``; ``space`` for each space in the token; ``bytes``,
            in hexadecimal, if they do not form a whole character in this token; ``code``, the code point
            of an invisible character, or a control symbol.
    """

    parts: Sequence[Part]

    @property
    def is_partial(self) -> bool:
        """Whether it has some but not all bytes of a character."""
        return any(kind == BYTES for kind, _ in self.parts)

    @property
    def is_space(self) -> bool:
        """Whether it consists of spaces only."""
        return all(kind == SPACE for kind, _ in self.parts)

    @property
    def begins_with_mark(self) -> bool:
        """Whether its first character combines with the one before it."""
        kind, text = self.parts[0] if self.parts else (TEXT, "")
        return kind == TEXT and unicodedata.category(text[:1] or "x")[0] == "M"


Word = List[Token]


def mark(line: str, encoding: Notation) -> List[Word]:
    """Groups the tokens of a line by word; a token that spans several words belongs to the first.

    Args:
        line: a line of segmented text.
        encoding: how to read it.
    """
    words: List[Word] = []
    before = None
    for token in filter(None, line.split(" ")):
        if encoding.marks_spaces:
            parts = _marked_parts(token, encoding.bytewise)
        else:
            parts = _readable(encoding.piece(token))
        if encoding.starts_word(token, before):
            words.append([])
        words[-1].append(Token(parts))
        before = token
    return words


def is_split(word: Word) -> bool:
    """Whether a word is split into several tokens."""
    return sum(not token.is_space for token in word) > 1


def is_right_to_left(text: str) -> bool:
    """Whether most letters of a sentence run from right to left."""
    directions = Counter(map(unicodedata.bidirectional, text))
    return sum(directions[direction] for direction in _RIGHT_TO_LEFT) > directions["L"]


def _marked_parts(token: str, bytewise: bool) -> List[Part]:
    """The parts of a token whose spaces are U+2581."""
    if is_control(token):
        return [(CODE, token)]
    if bytewise:
        return _merged(_byte_parts(symbols_to_bytes(token)))
    parts: List[Part] = []
    for number, text in enumerate(token.split(SPACE_SYMBOL)):
        parts += [(SPACE, SPACE_SYMBOL)] * (number > 0) + _readable(unescape(text))
    return parts


def _byte_parts(data: bytes) -> Iterator[Part]:
    """Whole characters as text, and other bytes as hexadecimal numbers."""
    start = 0
    while start < len(data):
        for end in range(start + 1, start + MAX_CHARACTER_BYTES + 1):
            try:
                character = data[start:end].decode("utf-8")
            except UnicodeDecodeError:
                continue
            yield (SPACE, SPACE_SYMBOL) if character == " " else (TEXT, character)
            start = end
            break
        else:
            yield BYTES, f"{data[start]:02X}"
            start += 1


def _merged(parts: Iterator[Part]) -> List[Part]:
    """Merges neighbours of the same kind and makes text readable."""
    merged: List[Part] = []
    text = ""
    for kind, shown in parts:
        if kind == TEXT:
            text += shown
            continue
        merged += _readable(text) + [(kind, shown)]
        text = ""
    return merged + _readable(text)


def _readable(text: str) -> List[Part]:
    """Splits text into visible text and the code points of invisible characters.

    Joiners between letters stay in the text, since the script needs them.
    """
    parts: List[Part] = []
    plain = ""
    for place, character in enumerate(text):
        visible = unicodedata.category(character)[0] not in "ZC"
        if visible or (character in _JOINERS and 0 < place < len(text) - 1):
            plain += character
            continue
        parts += [(TEXT, plain)] * bool(plain) + [(CODE, f"U+{ord(character):04X}")]
        plain = ""
    return parts + [(TEXT, plain)] * bool(plain)
