"""Codings whose symbols are byte text: single bytes, and byte-level subwords."""

import abc
from collections.abc import Sequence
from typing import List

from fairseq_subword_ext.subword.byte_text import to_byte_text, to_byte_texts
from fairseq_subword_ext.subword.files import PathLike, binary_reader
from fairseq_subword_ext.subword.line_codec import LineCodec
from fairseq_subword_ext.subword.sentencepiece_model import SentencePieceModel
from fairseq_subword_ext.subword.utf8 import from_byte_text, from_byte_texts


class ByteText(LineCodec):
    """What the codings on byte text share; they differ in where they cut it."""

    @abc.abstractmethod
    def segment(self, byte_text: str) -> str:
        """Puts spaces between the symbols of a line of byte text that is not empty."""

    def encode(self, line: str) -> str:
        byte_text = to_byte_text(line, self.errors)
        return byte_text and self.segment(byte_text)

    def encode_lines(self, lines: Sequence[str]) -> List[str]:
        segment = self.segment
        return [text and segment(text) for text in to_byte_texts(lines, self.errors)]

    def decode(self, line: str) -> str:
        return from_byte_text(line)

    def decode_lines(self, lines: Sequence[str]) -> List[str]:
        return from_byte_texts(lines)


class ByteLevel(ByteText):
    """One symbol a byte: the line ``hi ñ`` is ``▁ h i ▁ Ã ±``."""

    def segment(self, byte_text: str) -> str:
        return " ".join(byte_text)


class ByteLevelBPE(ByteText):
    """Byte-level subwords by a SentencePiece model of byte text.

    Source: Wang, Cho & Gu 2020, section 2.
    """

    def __init__(self, codes: PathLike, errors: str = "strict"):
        """Loads the model.

        Args:
            codes: a SentencePiece ``.model`` file.
            errors: as in :class:`LineCodec`.

        Raises:
            ValueError: where the file is of another kind, or broken.
            OSError: where it cannot be read.
        """
        super().__init__(errors)
        with binary_reader(codes) as stream:
            content = stream.read()
        self._model = SentencePieceModel(content, str(codes))

    def segment(self, byte_text: str) -> str:
        return self._model.segment(byte_text)

    @property
    def symbols(self) -> List[str]:
        """Every symbol that encoding can give, for a dictionary."""
        return self._model.pieces
