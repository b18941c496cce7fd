"""Encodes lines as indices of a Fairseq dictionary, in one array."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, NamedTuple, Optional, Tuple

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.textio.errors import whole_number
from fairseq_subword_ext.textio.files import PathLike
from fairseq_subword_ext.textio.lines import Block

if TYPE_CHECKING:  # slow to import, and most commands do not need it
    import numpy as np


@dataclass(frozen=True)
class DictionaryIndices:
    """The indices of a dictionary, under the attribute names of ``fairseq.data.Dictionary``.

    Attributes:
        indices: symbol -> index, control symbols included.
        unk_index, eos_index: the indices of ``<unk>`` and ``</s>``.
    """

    indices: Mapping[str, int]
    unk_index: int = 3
    eos_index: int = 2

    @classmethod
    def load(cls, path: PathLike) -> "DictionaryIndices":
        """Reads a dict.txt; see :meth:`.DictionaryFile.load`."""
        from fairseq_subword_ext.subword.dictionary_file import (
            DictionaryFile,  # imports this module
        )

        return DictionaryFile.load(path).indices


class EncodedLines(NamedTuple):
    """Many lines in one array: the indices of line i are ``ids[offsets[i] : offsets[i + 1]]``.

    Attributes:
        ids: 32-bit integers.
        offsets: 64-bit integers, one more than the number of lines.
    """

    ids: "np.ndarray"
    offsets: "np.ndarray"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def line(self, index: int) -> "np.ndarray":
        """Returns the indices of line ``index``, counted from 0."""
        return self.ids[self.offsets[index] : self.offsets[index + 1]]


class IdEncoder:
    """Encodes text as dictionary indices. May be used from several threads.

    Get one from ``Segmenter.id_encoder`` or ``Codec.id_encoder``.
    """

    def __init__(self, core: Any, dropout: float = 0.0):
        """Wraps the core's encoder or its replacement; ``dropout`` is the default of all calls."""
        self._core = core
        self._dropout = checked_dropout(dropout)

    def encode_lines(
        self,
        lines: Iterable[str],
        num_workers: int = 1,
        dropout: Optional[float] = None,
        seed: Optional[int] = None,
        first_line: int = 0,
    ) -> EncodedLines:
        """Encodes lines in several threads; the arguments are those of :meth:`.Segmenter.segment_lines`.

        Raises:
            ValueError: As :meth:`.Segmenter.segment_lines`.
        """
        check_workers(num_workers)
        return _arranged(
            *self._core.encode_lines(
                list(lines), self._chosen(dropout), drawn_seed(seed), first_line, num_workers
            )
        )

    def encode_block(
        self,
        block: Block,
        first_line: int = 0,
        dropout: Optional[float] = None,
        seed: Optional[int] = None,
    ) -> EncodedLines:
        """Encodes a block of UTF-8 lines on the calling thread, without holding the GIL.

        Args:
            block: whole lines; only the last may lack a newline.
            first_line: number of lines before the block.
            dropout, seed: as for :meth:`.Segmenter.segment_lines`; use one seed for all blocks of a text.

        Raises:
            ValueError: As :meth:`.Segmenter.segment_lines`, and if the text is not UTF-8.
        """
        return _arranged(
            *self._core.encode_text(block, self._chosen(dropout), drawn_seed(seed), first_line)
        )

    def _chosen(self, dropout: Optional[float]) -> float:
        return self._dropout if dropout is None else checked_dropout(dropout)


class TextIdSegmenter:
    """Replaces the core's IdSegmenter: segments to text, then looks up each token.

    Args:
        segmenter: has the core's ``segment_lines`` and ``segment_text``.
        indices, unknown, end: as for the core's.
    """

    def __init__(
        self, segmenter: Any, indices: Mapping[str, int], unknown: int, end: Optional[int]
    ):
        self._segmenter = segmenter
        self._indices = indices
        self._unknown = unknown
        self._end = end
        try:
            self._table = native_core().IdTable(dict(indices), unknown)
        except ImportError:
            self._table = None

    def encode_lines(
        self, lines: List[str], dropout: float, seed: int, first_line: int, num_workers: int
    ) -> Tuple["np.ndarray", "np.ndarray"]:
        """Returns the indices of all lines, and the number of indices per line."""
        segmented = self._segmenter.segment_lines(lines, dropout, seed, first_line, num_workers)
        ended = (line if line.endswith("\n") else f"{line}\n" for line in segmented)
        return self._encoded("".join(ended).encode("utf-8"))

    def encode_text(
        self, text: bytes, dropout: float, seed: int, first_line: int
    ) -> Tuple["np.ndarray", "np.ndarray"]:
        """Does the same for the lines of a text."""
        return self._encoded(self._segmenter.segment_text(text, dropout, seed, first_line))

    def _encoded(self, segmented: Block) -> Tuple["np.ndarray", "np.ndarray"]:
        if self._table is not None:
            return self._table.encode_tokens(segmented, self._end)
        import numpy as np

        find, unknown = self._indices.get, self._unknown
        end = [] if self._end is None else [self._end]
        lines = bytes(segmented).decode("utf-8").split("\n")
        # Fairseq, too, splits at every Unicode space.
        encoded = [
            [*(find(token, unknown) for token in line.split()), *end]
            for line in (lines if lines[-1] else lines[:-1])
        ]
        ids = np.fromiter((index for line in encoded for index in line), np.int32)
        return ids, np.fromiter(map(len, encoded), np.int64)


def _arranged(ids: "np.ndarray", lengths: "np.ndarray") -> EncodedLines:
    import numpy as np

    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return EncodedLines(ids, offsets)


def checked_dropout(dropout: float) -> float:
    """Returns the dropout probability.

    Raises:
        ValueError: If it is not between 0 and 1.
    """
    if not 0.0 <= dropout <= 1.0:
        raise ValueError(f"dropout is {dropout}; it is a probability, from 0 to 1")
    return dropout


def check_workers(num_workers: int) -> None:
    """Checks a number of threads.

    Raises:
        ValueError: If it is below 1.
    """
    whole_number("num_workers", num_workers, 1, most=(1 << 32) - 1)


def drawn_seed(seed: Optional[int]) -> int:
    """Returns a 64-bit seed; None draws one."""
    return int.from_bytes(os.urandom(8), "little") if seed is None else seed % (1 << 64)
