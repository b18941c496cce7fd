"""What every coding of a line for Fairseq has in common."""

import abc
from collections.abc import Sequence
from functools import partial
from typing import BinaryIO, List, Optional

from fairseq_subword_ext.subword.byte_text import check_errors
from fairseq_subword_ext.subword.line_stream import convert_stream


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

    def encode_stream(
        self,
        source: BinaryIO,
        target: BinaryIO,
        carriage_return: str = "error",
        name: str = "input",
        num_workers: int = 1,
    ) -> None:
        """Encodes UTF-8 text from one stream to another, line for line.

        Args:
            source, target, carriage_return, name: as for :func:`.convert_stream`.
            num_workers: as for :meth:`encode_lines`.

        Raises:
            ValueError: naming the line that is not UTF-8 or holds a carriage return.
        """
        encode = partial(self.encode_lines, num_workers=num_workers)
        convert_stream(source, target, encode, carriage_return, name)
