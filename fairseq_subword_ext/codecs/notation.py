"""What segmented text looks like: how it is decoded, recognized, and taken apart for statistics.

Encodings that write the same kind of text share a notation, and reading text needs nothing but its
notation: neither codes nor a vocabulary.

A *word* is a stretch of the raw text without U+0020, whatever the segmentation, so that all of them
are measured against the same words. A *token* is what stands between spaces in segmented text: what
a model reads. Statistics are taken over word types, for which the tokens' boundaries inside a word
are written as U+001F, a character that no segmentation of this package leaves in its output.
"""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Callable, FrozenSet, List, Optional

from fairseq_subword_ext.subword.escaping import is_control, unescape
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.block_stream import Block, BlockCoder, count_lines
from fairseq_subword_ext.textio.lines import LineCounts, convert_block

BOUNDARY = "\x1f"


class Sample:
    """The first lines of a text whose notation is to be found out.

    Args:
        lines: the first lines.
        separator: that of ``@@`` text.

    Attributes:
        lines: those that are not blank.
    """

    def __init__(self, lines: Sequence[str], separator: str = SEPARATOR):
        self.lines = [line for line in lines if line.strip(" ")]
        self.separator = separator

    @cached_property
    def tokens(self) -> FrozenSet[str]:
        """The distinct tokens, without control symbols, which a model may print anywhere."""
        tokens = {token for line in self.lines for token in line.split(" ")}
        return frozenset(token for token in tokens if token and not is_control(token))


@dataclass
class Losses:
    """What decoding could not keep.

    Attributes:
        dropped_bytes: bytes of byte text that belong to no valid character.
        unknown_symbols: control symbols, and characters that stand for no byte, in byte text.
    """

    dropped_bytes: int = 0
    unknown_symbols: int = 0

    def add(self, other: "Losses") -> None:
        self.dropped_bytes += other.dropped_bytes
        self.unknown_symbols += other.unknown_symbols


class Notation(abc.ABC):
    """One kind of segmented text; a class may override whatever differs from one token a word.

    Args:
        encoder: the encoding's name.

    Attributes:
        encoder: the encoding's name.
        separator: what a piece ends in that does not end its word; None without such a mark.
        marks_spaces: tokens show the spaces of the text, as U+2581.
        bytewise: symbols are bytes, so that a token can hold a part of a character.
        single: every token is one character or byte, by construction.
    """

    separator: Optional[str] = None
    marks_spaces = False
    bytewise = False
    single = False

    def __init__(self, encoder: str):
        self.encoder = encoder

    @abc.abstractmethod
    def decode(self, line: str) -> str:
        """The text of one line of symbols, as one line; never raises, whatever a model printed."""

    def decode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        """:meth:`decode` of every line.

        Args:
            lines: without their newlines.
            num_workers: threads, if the notation can use them; None for as many as there are processors,
                if there are enough lines for them.
        """
        return [self.decode(line) for line in lines]

    def recognizes(self, sample: Sample) -> bool:
        """Whether a text looks like this notation."""
        return False

    def losses(self, lines: Sequence[str], texts: Sequence[str]) -> Losses:
        """What decoding these lines to these texts could not keep."""
        return Losses()

    # For statistics and reports.

    def words(self, block: bytes) -> bytes:
        """Lines of segmented text with U+0020 between words and U+001F between a word's tokens."""
        return block

    def raw(self, text: str) -> str:
        """The text that lines of segmented text stand for, each of its characters as one."""
        return "\n".join(map(self.decode, text.split("\n")))

    def shape(self, word: str) -> List[str]:
        """The parts of a word of :meth:`words` that are in different tokens.

        Each character is one in its part; the bytes of a character but the first one are left out,
        so a part that begins inside a character may be empty.
        """
        return [self.raw(part) for part in word.split(BOUNDARY) if part]

    def starts_word(self, token: str, before: Optional[str]) -> bool:
        """Whether a word starts with this token, given the one before it on the line."""
        return True

    def piece(self, token: str) -> str:
        """The part of the text that a token stands for, unless it is byte text."""
        return unescape(token)

    def is_partial(self, token: str) -> bool:
        """Whether the token holds some bytes of a character, but not all."""
        return False

    def has_all(self, token: str) -> bool:
        """Whether every dictionary of this encoding holds the token, seen in training or not."""
        return False


def line_coder(
    convert: Callable[[Sequence[str]], List[str]], carriage_return: str, name: str
) -> BlockCoder:
    """What converts blocks of lines with a function that takes lines.

    Args:
        convert: takes lines without their ends and gives as many.
        carriage_return, name: as for :func:`.convert_stream`.
    """

    def code(block: Block, first_line: int) -> bytes:
        return convert_block(block, convert, carriage_return, name, LineCounts(first_line))

    return BlockCoder(code, count_lines)
