"""Segmentation by the compiled core, for any model: words, lines, streams, blocks, dictionary indices."""

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
    """Segments with a subword model in the compiled core."""

    def __init__(self, core: Any):
        """Wraps the core's segmenter or its replacement."""
        self._core = core

    def segment(self, word: str, dropout: float = 0.0, seed: Optional[int] = None) -> List[str]:
        """Returns the raw pieces of one word, without separators and escapes.

        Raises:
            ValueError: If the word is empty or contains U+0020 or a newline, or, with
                ``unknown="error"``, a character outside the alphabet.
        """
        if not word or " " in word or "\n" in word:
            raise ValueError(f"expected one word, without spaces; found {word!r}")
        return self._core.pieces(word, checked_dropout(dropout), drawn_seed(seed))

    def segment_line(self, line: str, dropout: float = 0.0, seed: Optional[int] = None) -> str:
        """Segments one line; keeps its line end and the spaces around it.

        Raises:
            ValueError: As :meth:`segment_lines`.
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
        """Segments lines in several threads without holding the GIL.

        Args:
            lines: without newlines except at their ends.
            num_workers: number of threads; the output does not depend on it.
            dropout: probability of skipping a merge, from 0 to 1.
            seed: the same seed gives the same segmentation; None draws one.
            first_line: number of the first line, from 0. The random numbers of a line depend on the
                seed and its number.

        Returns:
            One segmented line per line.

        Raises:
            ValueError: If a line contains a ``\\r`` (unless the options allow it), a newline, a lone
                surrogate or, with ``unknown="error"``, a character outside the alphabet. Names the line.
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
            ValueError: As :meth:`segment_lines`, and if the text is not UTF-8.
        """
        check_workers(num_workers)
        coder = self.block_coder(dropout, seed)
        return segment_stream(source, target, coder, by_threads(num_workers), output, watch)

    def block_coder(self, dropout: float = 0.0, seed: Optional[int] = None) -> BlockCoder:
        """Returns a coder of blocks of lines, for :func:`.segment_stream` and :func:`.segment_files`.

        Raises:
            ValueError: If dropout is not between 0 and 1.
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
        """Returns an encoder that gives dictionary indices instead of segmented text.

        Args:
            dictionary: a Fairseq dictionary or :class:`.DictionaryIndices`.
            append_eos: end each line with ``</s>``.
            dropout: the default of the encoder's calls.
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
        """Returns the dictionary indices of the tokens that :meth:`segment_lines` would give.

        No token is made into a string. To encode a text in parts, use one :meth:`id_encoder`, which
        caches words.

        Args:
            dictionary, append_eos: as for :meth:`id_encoder`.
            lines, num_workers, dropout, seed, first_line: as for :meth:`segment_lines`.

        Raises:
            ValueError: As :meth:`segment_lines`.
        """
        encoder = self.id_encoder(dictionary, append_eos)
        return encoder.encode_lines(lines, num_workers, dropout, seed, first_line)
