"""Notations that are read but never written: plain words, and SentencePiece's output."""

from collections.abc import Sequence

from fairseq_subword_ext.codecs.byte_notation import SpaceMarks, without_first_space
from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.subword.byte_text import SPACE_SYMBOL
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.subword.utf8 import decode_report


class PlainWords(Notation):
    """Unsegmented text: every token is a word."""

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return cls("words")

    def decode(self, line: str) -> str:
        return line

    def raw(self, text: str) -> str:
        return text


class SentencePieceText(SpaceMarks):
    """SentencePiece's output: U+2581 before a word, characters unchanged."""

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return cls("sentencepiece")

    def decode(self, line: str) -> str:
        return self.raw(line)

    def raw(self, text: str) -> str:
        return super().raw(without_first_space(text.replace(" ", "")))


def looks_like_sentencepiece(lines: Sequence[str], bytewise: bool) -> bool:
    """Whether text is SentencePiece's output, not another notation whose lines all start with U+2581.

    Args:
        lines: the first lines that are not blank.
        bytewise: whether all characters also represent bytes. Then most non-ASCII lines must be invalid
            as byte text; a model's output is invalid in a few lines only.
    """
    if not lines or not all(line.startswith(SPACE_SYMBOL) for line in lines):
        return False
    if not bytewise:
        return True
    non_ascii = [line for line in lines if not line.replace(SPACE_SYMBOL, "").isascii()]
    broken = sum(decode_report(line).dropped_bytes > 0 for line in non_ascii)
    return 2 * broken > len(non_ascii)
