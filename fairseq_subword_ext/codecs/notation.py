"""What segmented text looks like: how it is decoded, recognized, and split for statistics.

Encodings that write the same kind of text share a notation. Reading text needs only its notation,
neither codes nor a vocabulary.

A *word* is a stretch of the raw text without U+0020, regardless of the segmentation, so that all
segmentations are measured on the same words. A *token* is what stands between spaces in segmented text:
what a model reads. Statistics are computed over word types, in which the token boundaries inside a word
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
    """The first lines of a text whose notation is to be detected.

    Args:
        lines: the first lines.
        separator: the separator of ``@@`` text.

    Attributes:
        lines: the lines that are not blank.
    """

    def __init__(self, lines: Sequence[str], separator: str = SEPARATOR):
        self.lines = [line for line in lines if line.strip(" ")]
        self.separator = separator

    @cached_property
    def tokens(self) -> FrozenSet[str]:
        """The distinct tokens, without control symbols, which a model can print anywhere."""
        tokens = {token for line in self.lines for token in line.split(" ")}
        return frozenset(token for token in tokens if token and not is_control(token))


@dataclass
class Losses:
    """What was lost in decoding.

    Attributes:
        dropped_bytes: bytes of byte text that belong to no valid character.
        unknown_symbols: control symbols, and characters that represent no byte, in byte text.
    """

    dropped_bytes: int = 0
    unknown_symbols: int = 0

    def add(self, other: "Losses") -> None:
        self.dropped_bytes += other.dropped_bytes
        self.unknown_symbols += other.unknown_symbols


class Notation(abc.ABC):
    """One kind of segmented text. The defaults are for one token per word; subclasses override the rest.

    Args:
        encoder: the encoding's name.

    Attributes:
        encoder: the encoding's name.
        separator: the end of every piece but the last of a word; None if there is no such mark.
        marks_spaces: whether tokens contain the spaces of the text, as U+2581.
        bytewise: whether symbols are bytes, so that a token can contain part of a character.
        single: whether every token is one character or byte by construction.
        native: the compiled core's name for the notation, if the core decodes exactly as :meth:`decode` does;
            a subclass with its own :meth:`decode` sets None.
    """

    separator: Optional[str] = None
    marks_spaces = False
    bytewise = False
    single = False
    native: Optional[str] = None

    def __init__(self, encoder: str):
        self.encoder = encoder

    @abc.abstractmethod
    def decode(self, line: str) -> str:
        """Decodes one line of symbols into one line of text; never raises, even on malformed output of a model."""

    def decode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        """Decodes every line.

        Args:
            lines: lines without their newlines.
            num_workers: number of threads, if the notation can use them; None for one per processor if
                there are enough lines.
        """
        return [self.decode(line) for line in lines]

    def recognizes(self, sample: Sample) -> bool:
        """Whether a text looks like this notation."""
        return False

    def losses(self, lines: Sequence[str], texts: Sequence[str]) -> Losses:
        """Counts what was lost when these lines were decoded into these texts."""
        return Losses()

    # For statistics and reports.

    def words(self, block: bytes) -> bytes:
        """Rewrites segmented lines with U+0020 between words and U+001F between the tokens of a word."""
        return block

    def raw(self, text: str) -> str:
        """Restores the raw text of segmented lines; each character counts as one, bytes or not."""
        return "\n".join(map(self.decode, text.split("\n")))

    def shape(self, word: str) -> List[str]:
        """Splits a word of :meth:`words` into the parts covered by its tokens.

        A character belongs to the part that holds its first byte; continuation bytes are dropped, so a
        part that begins inside a character may be empty.
        """
        return [self.raw(part) for part in word.split(BOUNDARY) if part]

    def starts_word(self, token: str, before: Optional[str]) -> bool:
        """Whether a word starts with this token, given the one before it on the line."""
        return True

    def piece(self, token: str) -> str:
        """The piece of text that a token represents; not for byte text."""
        return unescape(token)

    def is_partial(self, token: str) -> bool:
        """Whether the token contains some but not all bytes of a character."""
        return False

    def has_all(self, token: str) -> bool:
        """Whether every dictionary of this encoding contains the token, seen in training or not."""
        return False


def line_coder(
    convert: Callable[[Sequence[str]], List[str]], carriage_return: str, name: str
) -> BlockCoder:
    """Makes a coder of blocks from a function of lines.

    Args:
        convert: takes lines without their ends and returns as many.
        carriage_return, name: as for :func:`.convert_stream`.
    """

    def code(block: Block, first_line: int) -> bytes:
        return convert_block(block, convert, carriage_return, name, LineCounts(first_line))

    return BlockCoder(code, count_lines)
