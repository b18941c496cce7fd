"""What every segmentation by the compiled core offers: lines, streams, blocks, a dictionary's indices."""

from typing import Any, BinaryIO, Callable, Iterable, List, Optional

from fairseq_subword_ext.subword.id_encoder import (
    DictionaryIndices,
    EncodedLines,
    IdEncoder,
    check_workers,
    checked_dropout,
    drawn_seed,
)
from fairseq_subword_ext.textio.block_stream import (
    Block,
    BlockCoder,
    by_threads,
    segment_stream,
)
from fairseq_subword_ext.textio.compressed_output import PlainOutput


class NativeSegmenter:
    """What segments lines by some subword model in the compiled core."""

    def __init__(self, core: Any):
        """Wraps the core's object, or what stands in for it."""
        self._core = core

    def segment(self, word: str, dropout: float = 0.0, seed: Optional[int] = None) -> List[str]:
        """The pieces of one word, raw: without separators and escapes.

        Raises:
            ValueError: If the word is empty or holds U+0020 or a newline, or, if that was asked
                for, a character outside the alphabet.
        """
        if not word or " " in word or "\n" in word:
            raise ValueError(f"expected one word, without spaces; found {word!r}")
        return self._core.pieces(word, checked_dropout(dropout), drawn_seed(seed))

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
        check_workers(num_workers)
        return self._core.segment_lines(
            list(lines), checked_dropout(dropout), drawn_seed(seed), first_line, num_workers
        )

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
        check_workers(num_workers)
        coder = self.block_coder(dropout, seed)
        return segment_stream(source, target, coder, by_threads(num_workers), output, watch)

    def block_coder(self, dropout: float = 0.0, seed: Optional[int] = None) -> BlockCoder:
        """What segments blocks of lines, for :func:`.segment_stream` and :func:`.segment_files`.

        Raises:
            ValueError: If dropout is no probability.
        """
        checked_dropout(dropout)
        seed = drawn_seed(seed)
        core = self._core
        return BlockCoder(
            lambda block, first_line: core.segment_text(block, dropout, seed, first_line),
            core.count_lines,
        )

    def id_encoder(
        self, dictionary: DictionaryIndices, append_eos: bool = True, dropout: float = 0.0
    ) -> IdEncoder:
        """What gives a dictionary's indices in the place of segmented text.

        Args:
            dictionary: Fairseq's, or :class:`.DictionaryIndices`.
            append_eos: end each line with the dictionary's ``</s>``.
            dropout: that of calls that name none.
        """
        return IdEncoder(
            self._core.id_segmenter(
                dictionary.indices,
                dictionary.unk_index,
                dictionary.eos_index if append_eos else None,
            ),
            dropout,
        )

    def encode_ids(
        self,
        lines: Iterable[str],
        dictionary: DictionaryIndices,
        num_workers: int = 1,
        dropout: float = 0.0,
        seed: Optional[int] = None,
        first_line: int = 0,
        append_eos: bool = True,
    ) -> EncodedLines:
        """Segments lines to a dictionary's indices: those of what :meth:`segment_lines` gives.

        No token is spelled. Who encodes a text in parts keeps what :meth:`id_encoder` gives, which
        remembers words.

        Args:
            dictionary, append_eos: as for :meth:`id_encoder`.
            lines, num_workers, dropout, seed, first_line: as for :meth:`segment_lines`.

        Raises:
            ValueError: as :meth:`segment_lines`.
        """
        encoder = self.id_encoder(dictionary, append_eos)
        return encoder.encode_lines(lines, num_workers, dropout, seed, first_line)
