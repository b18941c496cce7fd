"""Text that is read and never made: words as they are, and text that SentencePiece has segmented."""

from collections.abc import Sequence

from fairseq_subword_ext.codecs.byte_notation import SpaceMarks, without_first_space
from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.subword.byte_text import SPACE_SYMBOL
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.subword.utf8 import decode_report


class PlainWords(Notation):
    """Words as they are: every token is a word."""

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return cls("words")

    def decode(self, line: str) -> str:
        return line

    def raw(self, text: str) -> str:
        return text


class SentencePieceText(SpaceMarks):
    """SentencePiece's text: U+2581 before a word, characters as they are."""

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return cls("sentencepiece")

    def decode(self, line: str) -> str:
        return self.raw(line)

    def raw(self, text: str) -> str:
        return super().raw(without_first_space(text.replace(" ", "")))


def looks_like_sentencepiece(lines: Sequence[str], bytewise: bool) -> bool:
    """Whether text is SentencePiece's, rather than another one whose lines all start with U+2581.

    Args:
        lines: the first lines that are not blank.
        bytewise: all characters stand for bytes. Then most lines that are not ASCII have to be broken as
            byte text; a model breaks a few.
    """
    if not lines or not all(line.startswith(SPACE_SYMBOL) for line in lines):
        return False
    if not bytewise:
        return True
    telling = [line for line in lines if not line.replace(SPACE_SYMBOL, "").isascii()]
    broken = sum(decode_report(line).dropped_bytes > 0 for line in telling)
    return 2 * broken > len(telling)
