"""Applying a merge table: words, lines and files become subwords.

Sennrich, Haddow & Birch 2016, section 3.2: in a word, the adjacent pair that was learned first is
merged, at all its places from left to right, until no pair of the table is left. Under BPE-dropout
(Provilkov, Emelianenko & Voita 2020) each merge is left out with a probability each time that it is
considered.
"""

import os
from typing import (
    Any,
    BinaryIO,
    Callable,
    Iterable,
    List,
    Optional,
)

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.glossary import Glossary, SubwordNmtGlossary
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segment_options import SegmentOptions
from fairseq_subword_ext.textio.block_stream import (
    Block,
    BlockCoder,
    by_threads,
    segment_stream,
)
from fairseq_subword_ext.textio.compressed_output import PlainOutput
from fairseq_subword_ext.textio.errors import whole_number


class Segmenter:
    """Segments text by a merge table. Can be pickled; may be used from several threads.

    With characters as units a piece that is not its word's last carries the separator, as in
    subword-nmt; with bytes pieces are byte text, and every space starts a piece.

    Args:
        merge_table: what ``learn_bpe`` or ``MergeTable.load`` gave.
        arguments, options: the fields of :class:`.SegmentOptions`.

    Attributes:
        options: how it segments.

    Raises:
        ValueError: for an option that cannot be used.
        ImportError: If the compiled core has not been built and ``fallback`` is False.
    """

    def __init__(self, merge_table: MergeTable, *arguments: Any, **options: Any):
        self._set(merge_table, SegmentOptions(*arguments, **options))

    @classmethod
    def from_options(cls, merge_table: MergeTable, options: SegmentOptions) -> "Segmenter":
        """A segmenter with these options."""
        segmenter = cls.__new__(cls)
        segmenter._set(merge_table, options)
        return segmenter

    def _set(self, table: MergeTable, options: SegmentOptions) -> None:
        options.check_table(table)
        self._table = table
        self.options = options
        glossary = SubwordNmtGlossary if options.compat else Glossary
        self._core: Any = _core(options.fallback)(
            table.merges[: options.merges],
            table.version,
            options.separator,
            options.printable,
            options.unknown,
            None if table.alphabet is None else set(table.alphabet),
            options.compat == "subword-nmt",
            options.escapes,
            options.treats_carriage_return,
            glossary(options.glossaries) if options.glossaries else None,
        )

    def segment(self, word: str, dropout: float = 0.0, seed: Optional[int] = None) -> List[str]:
        """The pieces of one word, raw: without separators and escapes.

        Raises:
            ValueError: If the word is empty or holds U+0020 or a newline, or, if that was asked
                for, a character outside the alphabet.
        """
        if not word or " " in word or "\n" in word:
            raise ValueError(f"expected one word, without spaces; found {word!r}")
        return self._core.pieces(word, _checked_dropout(dropout), _seed(seed))

    def segment_line(self, line: str, dropout: float = 0.0, seed: Optional[int] = None) -> str:
        """Segments one line; its line end and spaces around it stay.

        Raises:
            ValueError: as :meth:`segment_lines`.
        """
        return self.segment_lines([line], 1, dropout, seed)[0]

    def segment_lines(
        self,
        lines: Iterable[str],
        num_workers: int = 1,
        dropout: float = 0.0,
        seed: Optional[int] = None,
        first_line: int = 0,
    ) -> List[str]:
        """Segments lines, in several threads and without holding Python's lock.

        Args:
            lines: each without a newline, or with one at its end only.
            num_workers: threads; they change nothing but the time taken.
            dropout: probability of leaving out a merge, from 0 to 1.
            seed: the same seed gives the same segmentation; None draws one.
            first_line: number of the first line, from 0: each line has its own random numbers, made
                from the seed and its number.

        Returns:
            One line for each line.

        Raises:
            ValueError: naming the line, for a ``\\r`` inside it, a newline inside it, a lone surrogate,
                or, if that was asked for, a character outside the alphabet.
        """
        _check_workers(num_workers)
        lines = list(lines)
        try:
            return self._core.segment_lines(
                lines, _checked_dropout(dropout), _seed(seed), first_line, num_workers
            )
        except UnicodeEncodeError as error:
            number = next(i for i, line in enumerate(lines, first_line + 1) if line == error.object)
            raise ValueError(
                f"line {number}: character {error.start + 1} is the lone surrogate "
                f"U+{ord(error.object[error.start]):04X}, which UTF-8 cannot hold"
            ) from None

    def segment_stream(
        self,
        source: BinaryIO,
        target: BinaryIO,
        num_workers: int = 1,
        dropout: float = 0.0,
        seed: Optional[int] = None,
        output: Optional[PlainOutput] = None,
        watch: Callable[[Block], None] = lambda block: None,
    ) -> int:
        """Segments UTF-8 text from one binary stream to another, a block of lines at a time.

        Args:
            source: where to read.
            target: where to write; flushed after each block.
            num_workers, dropout, seed: as for :meth:`segment_lines`.
            output, watch: as for :func:`.segment_stream`.

        Returns:
            The number of lines.

        Raises:
            ValueError: as :meth:`segment_lines`, and for text that is not UTF-8.
        """
        _check_workers(num_workers)
        coder = self.block_coder(dropout, seed)
        return segment_stream(source, target, coder, by_threads(num_workers), output, watch)

    def block_coder(self, dropout: float = 0.0, seed: Optional[int] = None) -> BlockCoder:
        """What segments blocks of lines, for :func:`.segment_stream` and :func:`.segment_files`.

        Raises:
            ValueError: If dropout is no probability.
        """
        _checked_dropout(dropout)
        seed = _seed(seed)
        core = self._core
        return BlockCoder(
            lambda block, first_line: core.segment_text(block, dropout, seed, first_line),
            core.count_lines,
        )

    def __reduce__(self) -> Any:
        return Segmenter.from_options, (self._table, self.options)


def _core(fallback: bool) -> Any:
    try:
        return native_core().TextSegmenter
    except ImportError:
        if not fallback:
            raise
        from fairseq_subword_ext.subword.fallback import ReadableSegmenter

        return ReadableSegmenter


def _checked_dropout(dropout: float) -> float:
    if not 0.0 <= dropout <= 1.0:
        raise ValueError(f"dropout is {dropout}; it is a probability, from 0 to 1")
    return dropout


def _check_workers(num_workers: int) -> None:
    whole_number("num_workers", num_workers, 1, most=(1 << 32) - 1)


def _seed(seed: Optional[int]) -> int:
    return int.from_bytes(os.urandom(8), "little") if seed is None else seed % (1 << 64)
