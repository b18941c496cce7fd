"""What every coding of a line for Fairseq has in common."""

import abc
from collections.abc import Sequence
from typing import BinaryIO, List, Optional

from fairseq_subword_ext.subword.byte_text import check_errors
from fairseq_subword_ext.subword.id_encoder import DictionaryIndices, IdEncoder, TextIdSegmenter
from fairseq_subword_ext.textio.block_stream import (
    Block,
    BlockCoder,
    by_threads,
    count_lines,
    segment_stream,
)
from fairseq_subword_ext.textio.compressed_output import PlainOutput
from fairseq_subword_ext.textio.lines import LineFacts, convert_block


class _Encoding:
    """A codec as :class:`.TextIdSegmenter` wants it."""

    def __init__(self, codec: "LineCodec", carriage_return: str):
        self._codec = codec
        self._code = codec.block_coder(carriage_return).code

    def segment_lines(
        self, lines: List[str], dropout: float, seed: int, first_line: int, num_workers: int
    ) -> List[str]:
        _refuse_dropout(dropout)
        return self._codec.encode_lines(lines, num_workers)

    def segment_text(self, text: Block, dropout: float, seed: int, first_line: int) -> bytes:
        _refuse_dropout(dropout)
        return self._code(text, first_line)


def _refuse_dropout(dropout: float) -> None:
    if dropout:
        raise ValueError("dropout leaves out merges, and this encoding has none")


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
        check_errors(errors)
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

    def encode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        """:meth:`encode` of every line.

        Args:
            lines: without their newlines.
            num_workers: threads, where a coding can use them; the result is the same. None for as many as
                there are processors, where there are enough lines for them.

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

    def decode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        """:meth:`decode` of every line; the arguments are those of :meth:`encode_lines`."""
        return [self.decode(line) for line in lines]

    def block_coder(self, carriage_return: str = "error", name: str = "input") -> BlockCoder:
        """What encodes blocks of lines, for :func:`.segment_stream` and :func:`.segment_files`.

        Args:
            carriage_return, name: as for :func:`.convert_stream`.
        """

        def code(block: Block, first_line: int) -> bytes:
            facts = LineFacts(first_line)
            return convert_block(block, self._encode_alone, carriage_return, name, facts)

        return BlockCoder(code, count_lines)

    def id_encoder(
        self, dictionary: DictionaryIndices, append_eos: bool = True, carriage_return: str = "error"
    ) -> IdEncoder:
        """What gives a dictionary's indices in the place of symbols.

        Args:
            dictionary, append_eos: As for :meth:`.NativeSegmenter.id_encoder`.
            carriage_return: As for :func:`.convert_stream`.
        """
        end = dictionary.eos_index if append_eos else None
        return IdEncoder(
            TextIdSegmenter(
                _Encoding(self, carriage_return), dictionary.indices, dictionary.unk_index, end
            )
        )

    def _encode_alone(self, lines: Sequence[str]) -> List[str]:
        return self.encode_lines(lines, num_workers=1)

    def encode_stream(
        self,
        source: BinaryIO,
        target: BinaryIO,
        carriage_return: str = "error",
        name: str = "input",
        num_workers: int = 1,
        output: Optional[PlainOutput] = None,
    ) -> None:
        """Encodes UTF-8 text from one stream to another, line for line.

        Args:
            source, target, output: as for :func:`.segment_stream`.
            carriage_return, name: as for :func:`.convert_stream`.
            num_workers: threads, where a coding can use them; the result is the same.

        Raises:
            ValueError: naming the line that is not UTF-8 or holds a carriage return.
        """
        coder = self.block_coder(carriage_return, name)
        segment_stream(source, target, coder, by_threads(num_workers), output)
