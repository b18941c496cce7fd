"""Fairseq's memory-mapped data format: ``NAME.bin`` holds token ids, ``NAME.idx`` the start of each line.

The index is a header (nine bytes of magic, version 1 as 64 bits, the code of the ids' type as 8 bits, the
number of lines as 64 bits), then the length of each line (int32), then the offset of each in ``.bin``
(int64). All numbers are little-endian. Reading and writing need neither Fairseq nor memory in proportion to
the number of lines.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Optional, Tuple

import numpy as np

from fairseq_subword_ext.textio.files import PathLike, atomic_writer, binary_reader

_MAGIC = b"MMIDIDX\x00\x00"
_HEADER = struct.Struct("<9sQBQ")
_VERSION = 1
_TYPE_CODES = {np.dtype("<i4"): 4, np.dtype("<u2"): 8, np.dtype("<u4"): 9}

_SIZE_TYPE = np.dtype("<i4")
_POINTER_TYPE = np.dtype("<i8")

# Fairseq writes the ids of smaller dictionaries as 16 bits.
_FEWEST_FOR_32_BITS = 65500

_BLOCK = 1 << 20  # numbers


def id_type(symbols: int) -> "np.dtype":
    """Returns the type in which Fairseq writes the ids of a dictionary.

    Args:
        symbols: the size of the dictionary, control symbols included.
    """
    return np.dtype("<u2" if symbols < _FEWEST_FOR_32_BITS else "<u4")


def dataset_files(prefix: PathLike) -> Tuple[Path, Path]:
    """Returns the two files of a dataset: ids and index."""
    return Path(f"{prefix}.bin"), Path(f"{prefix}.idx")


class IndexedDatasetWriter:
    """Writes one dataset; use as a context manager.

    At the end of the block both files appear, or neither. An index never lies beside the ids of another
    dataset: the old index is removed before the new ids appear, and the new index appears last.

    Args:
        prefix: path without ``.bin`` and ``.idx``.
        dtype: of the ids, 16 or 32 bits.

    Attributes:
        lines, tokens: numbers written so far.
    """

    def __init__(self, prefix: PathLike, dtype: "np.dtype"):
        self.lines = 0
        self.tokens = 0
        self._dtype = np.dtype(dtype)
        self._code = _TYPE_CODES[self._dtype]
        self._ids_path, self._index_path = dataset_files(prefix)
        self._stack = ExitStack()
        self._ids: Optional[BinaryIO] = None
        self._index: Optional[BinaryIO] = None

    def __enter__(self) -> "IndexedDatasetWriter":
        with ExitStack() as stack:
            # Exited in reverse order: the index appears last.
            self._index = stack.enter_context(atomic_writer(self._index_path))
            self._ids = stack.enter_context(atomic_writer(self._ids_path))
            self._index.write(self._header())
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind, error, traceback) -> Optional[bool]:
        if kind is not None:
            return self._stack.__exit__(kind, error, traceback)
        with self._stack:
            self._write_pointers()
            # A full disk is noticed here, while the old files are intact.
            for stream in (self._ids, self._index):
                stream.flush()
                os.fsync(stream.fileno())
            self._index_path.unlink(missing_ok=True)
        return None

    def add_ids(self, ids: "np.ndarray") -> None:
        """Appends ids, of any type that can hold them, not necessarily of whole lines."""
        self._ids.write(np.ascontiguousarray(ids, self._dtype).data)
        self.tokens += len(ids)

    def add_sizes(self, sizes: "np.ndarray") -> None:
        """Appends the lengths of lines."""
        self._index.write(np.ascontiguousarray(sizes, _SIZE_TYPE).data)
        self.lines += len(sizes)

    def _header(self) -> bytes:
        return _HEADER.pack(_MAGIC, _VERSION, self._code, self.lines)

    def _write_pointers(self) -> None:
        """Reads the lengths back from the file, since memory may not hold them all."""
        self._index.seek(0)
        self._index.write(self._header())
        self._index.flush()
        self._index.seek(0, os.SEEK_END)
        first = 0
        for start in range(0, self.lines, _BLOCK):
            count = min(_BLOCK, self.lines - start)
            place = _HEADER.size + start * _SIZE_TYPE.itemsize
            read = os.pread(self._index.fileno(), count * _SIZE_TYPE.itemsize, place)
            ends = np.cumsum(np.frombuffer(read, _SIZE_TYPE), dtype=np.int64)
            ends = ends * self._dtype.itemsize + first
            pointers = np.concatenate([[first], ends[:-1]]).astype(_POINTER_TYPE)
            first = int(ends[-1])
            self._index.write(pointers.data)


class IndexedDatasetReader:
    """Reads a dataset of :class:`IndexedDatasetWriter` block by block.

    Args:
        prefix: path without ``.bin`` and ``.idx``.

    Attributes:
        lines: number of lines.
        dtype: of the ids.

    Raises:
        ValueError: If the index is not that of a memory-mapped dataset.
        OSError: If a file cannot be read.
    """

    def __init__(self, prefix: PathLike):
        self._ids_path, self._index_path = dataset_files(prefix)
        with binary_reader(self._index_path) as stream:
            header = stream.read(_HEADER.size)
        types = {code: dtype for dtype, code in _TYPE_CODES.items()}
        if len(header) < _HEADER.size or not header.startswith(_MAGIC):
            raise ValueError(f"{self._index_path}: expected the index of a memory-mapped dataset")
        _, _, code, self.lines = _HEADER.unpack(header)
        self.dtype = types[code]

    def sizes(self) -> Iterator["np.ndarray"]:
        """Yields the lengths of the lines, many at a time."""
        with binary_reader(self._index_path) as stream:
            yield from _numbers(stream, _HEADER.size, self.lines, _SIZE_TYPE)

    def ids(self) -> Iterator["np.ndarray"]:
        """Yields the ids of all lines in order, many at a time."""
        count = self._ids_path.stat().st_size // self.dtype.itemsize
        with binary_reader(self._ids_path) as stream:
            yield from _numbers(stream, 0, count, self.dtype)


def _numbers(
    stream: BinaryIO, offset: int, count: int, dtype: "np.dtype"
) -> Iterator["np.ndarray"]:
    stream.seek(offset)
    while count:
        block = np.frombuffer(stream.read(min(count, _BLOCK) * dtype.itemsize), dtype)
        count -= len(block)
        yield block
