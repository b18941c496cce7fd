"""How each kind of segmented text shows its words, its tokens and its characters.

A *word* is a stretch of the raw text without U+0020, whatever the segmentation, so that all of them
are measured against the same words. A *token* is what stands between spaces in segmented text: what
a model reads. Statistics are taken over word types, for which the tokens' boundaries inside a word
are written as U+001F, a character that no segmentation of this package leaves in its output.
"""

import re
from typing import List, Sequence, Tuple

from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS, SPACE_SYMBOL, symbols_to_bytes
from fairseq_subword_ext.subword.escaping import check_separator, unescape
from fairseq_subword_ext.subword.restoring import BYTE_TEXT, detect_encoder
from fairseq_subword_ext.subword.restoring import ENCODERS as RESTORED
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.subword.utf8 import decode_report

# Beside the encoders of this package: SentencePiece's text (U+2581 before a word, characters as they
# are), and words that are not segmented at all.
ENCODERS = (*RESTORED, "sentencepiece", "words")

BOUNDARY = "\x1f"

_SPACE = SPACE_SYMBOL.encode("utf-8")
# Bytes of a character but its first one, as byte text writes them.
_CONTINUATION = re.compile("[" + re.escape("".join(BYTE_SYMBOLS[0x80:0xC0])) + "]")

Shape = Tuple[str, ...]


class Words:
    """Words as they are: every token is a word.

    Attributes:
        encoder: its name, one of :data:`ENCODERS`.
        separator: that of ``@@`` text.
        bytewise: symbols are bytes, so that a token can hold a part of a character.
        single: every token is one character or byte, by construction.
    """

    bytewise = False

    def __init__(self, encoder: str = "words", separator: str = SEPARATOR):
        self.encoder = encoder
        self.separator = separator
        self.single = encoder in ("char_level", "byte_level")

    def words(self, block: bytes) -> bytes:
        """Lines of segmented text with U+0020 between words and U+001F between a word's tokens."""
        return block

    def raw(self, text: str) -> str:
        """The text that lines of segmented text stand for, each of its characters as one."""
        return text

    def shape(self, word: str) -> List[str]:
        """The parts of a word of :meth:`words` that are in different tokens.

        Each character is one in its part; the bytes of a character but the first one are left out,
        so a part that begins inside a character may be empty.
        """
        return [self.raw(part) for part in word.split(BOUNDARY) if part]

    def is_partial(self, token: str) -> bool:
        """Whether the token holds some bytes of a character, but not all."""
        return False

    def has_all(self, token: str) -> bool:
        """Whether every dictionary of this encoder holds the token, seen in training or not."""
        return False


class Pieces(Words):
    """Pieces of words, all but the last one of a word ending in the separator."""

    def __init__(self, encoder: str = "generalized_bpe", separator: str = SEPARATOR):
        super().__init__(encoder, separator)
        check_separator(separator)
        self._inside = f"{separator} ".encode()

    def words(self, block: bytes) -> bytes:
        return block.replace(self._inside, BOUNDARY.encode())

    def raw(self, text: str) -> str:
        return unescape(text.replace(f"{self.separator} ", ""))


class SpaceMarks(Words):
    """Tokens of which some hold the space before a word, as U+2581; characters are as they are."""

    def words(self, block: bytes) -> bytes:
        # A token ends where a word does; without the boundary there it is one type, not two.
        return (
            block.replace(b" ", BOUNDARY.encode())
            .replace(BOUNDARY.encode() + _SPACE, b" ")
            .replace(_SPACE, b" ")
        )

    def raw(self, text: str) -> str:
        plain = text.replace(" ", "")
        if self.encoder == "sentencepiece":
            plain = _without_first_space(plain)
        return unescape(plain.replace(SPACE_SYMBOL, " "))


class ByteText(SpaceMarks):
    """The same in byte text: every byte is a symbol."""

    bytewise = True

    def raw(self, text: str) -> str:
        plain = _without_first_space(text.replace(" ", ""))
        return _CONTINUATION.sub("", plain).replace(SPACE_SYMBOL, " ")

    def is_partial(self, token: str) -> bool:
        try:
            symbols_to_bytes(token).decode("utf-8")
        except UnicodeDecodeError:
            return True
        return False

    def has_all(self, token: str) -> bool:
        return token in _SINGLE_BYTES


_SINGLE_BYTES = frozenset(BYTE_SYMBOLS)


def _without_first_space(text: str) -> str:
    """Drops the U+2581 that every line starts with."""
    return f"\n{text}".replace(f"\n{SPACE_SYMBOL}", "\n")[1:]


def make_encoding(encoder: str, separator: str = SEPARATOR) -> Words:
    """The reading of segmented text that an encoder's name stands for.

    Args:
        encoder: one of :data:`ENCODERS`.
        separator: that of ``generalized_bpe``.

    Raises:
        ValueError: where the encoder is none of them, or the separator cannot be one.
    """
    if encoder == "words":
        return Words()
    if encoder == "generalized_bpe":
        return Pieces(encoder, separator)
    if encoder in BYTE_TEXT:
        return ByteText(encoder)
    if encoder in ENCODERS:
        return SpaceMarks(encoder)
    raise ValueError(f"encoder {encoder!r} is none of {', '.join(ENCODERS)}")


def recognize(lines: Sequence[str], separator: str = SEPARATOR) -> str:
    """Tells by its look how a text was segmented.

    As :func:`.detect_encoder`, but that text of SentencePiece (every line starts with U+2581, and
    most lines that are not ASCII would be broken as byte text) and words are told too.

    Args:
        lines: the beginning of the text.
        separator: that of ``@@`` text.

    Returns:
        One of :data:`ENCODERS`.
    """
    full = [line for line in lines if line.strip(" ")]
    marked = bool(full) and all(line.startswith(SPACE_SYMBOL) for line in full)
    try:
        encoder = detect_encoder(full, separator)
    except ValueError:
        return "sentencepiece" if marked else "words"
    if encoder in BYTE_TEXT:
        telling = [line for line in full if not line.replace(SPACE_SYMBOL, "").isascii()]
        broken = sum(decode_report(line).dropped_bytes > 0 for line in telling)
        if 2 * broken > len(telling):
            return "sentencepiece"
    return encoder
