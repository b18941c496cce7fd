"""The reversible codings of a line for Fairseq: byte-level subwords, bytes, characters.

One class each, used by the encoders (``--bpe``), by ``apply-bpe --encoder`` and by ``restore``, so
that all of them give the same symbols. For every line of Unicode scalar values
``decode(encode(line)) == line``, before and after Fairseq has read the symbols; decoding takes
whatever a model emits and never raises.
"""

import abc
from collections.abc import Sequence
from typing import List

from fairseq_subword_ext.subword.byte_text import ERRORS, to_byte_text, to_byte_texts
from fairseq_subword_ext.subword.files import PathLike, binary_reader
from fairseq_subword_ext.subword.sentencepiece_model import SentencePieceModel
from fairseq_subword_ext.subword.utf8 import from_byte_text, from_byte_texts


class LineCodec(abc.ABC):
    """Turns a line of text into symbols separated by spaces, and back."""

    def __init__(self, errors: str = "strict"):
        """Sets what becomes of text that no line of UTF-8 can hold.

        Args:
            errors: "strict", or "replace" for U+FFFD in the place of a lone surrogate and a space
                in the place of a newline.

        Raises:
            ValueError: where errors is neither.
        """
        if errors not in ERRORS:
            raise ValueError(f"errors: expected one of {', '.join(ERRORS)}, found {errors!r}")
        self.errors = errors

    @abc.abstractmethod
    def encode(self, line: str) -> str:
        """Encodes one line without its newline.

        Raises:
            ValueError: naming the position of a lone surrogate or a newline.
        """

    @abc.abstractmethod
    def decode(self, line: str) -> str:
        """Decodes one line of symbols; never raises."""

    def encode_lines(self, lines: Sequence[str]) -> List[str]:
        """:meth:`encode` of every line.

        Raises:
            ValueError: naming the line, from 1, and the position in it.
        """
        encoded = []
        for number, line in enumerate(lines, 1):
            try:
                encoded.append(self.encode(line))
            except ValueError as error:
                raise ValueError(f"line {number}, {error}") from None
        return encoded

    def decode_lines(self, lines: Sequence[str]) -> List[str]:
        """:meth:`decode` of every line."""
        return [self.decode(line) for line in lines]


class ByteText(LineCodec):
    """Shared by the codings whose symbols are byte text: they differ in where they cut it."""

    @abc.abstractmethod
    def segment(self, byte_text: str) -> str:
        """Puts spaces between the symbols of a line of byte text that is not empty."""

    def encode(self, line: str) -> str:
        byte_text = to_byte_text(line, self.errors)
        return self.segment(byte_text) if byte_text else ""

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

    @property
    def symbols(self) -> List[str]:
        """Every symbol that encoding can give, for a dictionary."""
        return self._model.pieces

    def segment(self, byte_text: str) -> str:
        return self._model.segment(byte_text)
