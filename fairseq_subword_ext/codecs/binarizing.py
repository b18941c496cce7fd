"""Turns raw text into Fairseq's binary data.

If the dictionary is known, a text is encoded directly. If it has to be counted from the text,
:class:`.GrowingIds` gives provisional ids, which :func:`renumber` replaces once the dictionary is made. So
no text is read or segmented twice. All texts share a set of threads.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Tuple

import numpy as np

from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.growing_ids import CountedTokens, GrowingIds
from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.dictionary_file import UNK, DictionaryFile
from fairseq_subword_ext.subword.id_encoder import EncodedLines
from fairseq_subword_ext.textio.errors import LineError
from fairseq_subword_ext.textio.files import PathLike
from fairseq_subword_ext.textio.indexed_dataset import (
    IndexedDatasetReader,
    IndexedDatasetWriter,
    id_type,
)
from fairseq_subword_ext.textio.lines import Block, line_blocks
from fairseq_subword_ext.textio.many_files import Progress, file_version
from fairseq_subword_ext.textio.pipeline import Workers
from fairseq_subword_ext.textio.text_input import TextInput

# Returns the ids of a block of lines, given the number of lines before it.
Encode = Callable[[Block, int], EncodedLines]

_LONE_CARRIAGE_RETURN = re.compile(rb"\r(?!\n|\Z)")

# Ids before they are renumbered: small if most likely enough.
_SMALL_IDS = np.dtype("<u2")
_LARGE_IDS = np.dtype("<i4")
_MOST_SMALL_IDS = 1 << 16


class _TooManyTokensError(Exception):
    """A text turned out to have too many tokens for small ids."""


@dataclass(frozen=True)
class BinarizedText:
    """Counts of an encoded text.

    Attributes:
        lines: number of lines.
        tokens: number of tokens written, including the ``</s>`` of each line.
        unknown: number of tokens that are ``<unk>``.
        lone_carriage_returns: number of carriage returns inside lines.
        has_mark: whether the text begins with a byte-order mark.
    """

    lines: int
    tokens: int
    unknown: int
    lone_carriage_returns: int = 0
    has_mark: bool = False


@dataclass(frozen=True)
class Machinery:
    """Threads and progress that all texts share.

    Attributes:
        workers: the threads that encode.
        check: called regularly; raises an exception to stop.
        progress: counts what was done.
    """

    workers: Workers
    check: Callable[[], None] = lambda: None
    progress: Progress = field(default_factory=Progress)


def encoding_by(codec: Codec, encode: Encode) -> Encode:
    """Checks that each line is one line to Fairseq, if the codec itself does not.

    Codecs that reproduce subword-nmt keep carriage returns inside lines, where Fairseq would break the line.
    """
    if codec.compat != "subword-nmt":
        return encode

    def checked(block: Block, first_line: int) -> EncodedLines:
        found = _LONE_CARRIAGE_RETURN.search(block)
        if found is not None:
            line = first_line + bytes(block[: found.start()]).count(b"\n") + 1
            raise LineError(
                "found a carriage return inside the line, which --compat subword-nmt keeps and at which "
                "Fairseq would split the line; remove it",
                line,
            )
        return encode(block, first_line)

    return checked


def binarize(
    path: PathLike,
    prefix: PathLike,
    encode: Encode,
    dictionary: DictionaryFile,
    machinery: Machinery,
) -> BinarizedText:
    """Encodes a text by a dictionary.

    Args:
        path: the text, compressed or not.
        prefix: of the dataset to write.
        encode: gives ids of this dictionary.
        dictionary: its size decides how ids are stored.
        machinery: threads and progress.

    Raises:
        ValueError: If the text cannot be encoded or changes while it is read. Names file and line.
        OSError: If a file cannot be read or written.
    """
    dtype = id_type(len(dictionary))
    unknown = 0

    def work(numbered: Tuple[Block, int]) -> Tuple[Any, ...]:
        ids, offsets = encode(*numbered)
        return ids.astype(dtype, copy=False), np.diff(offsets), np.count_nonzero(ids == UNK)

    def use(result: Tuple[Any, ...]) -> None:
        nonlocal unknown
        writer.add_ids(result[0])
        writer.add_sizes(result[1])
        unknown += int(result[2])

    with IndexedDatasetWriter(prefix, dtype) as writer:
        source = _read(path, work, use, machinery)
    return _binarized(writer, unknown, source)


def collect(
    path: PathLike,
    prefix: PathLike,
    growing: GrowingIds,
    encode: Encode,
    machinery: Machinery,
) -> BinarizedText:
    """Encodes a text with provisional ids and counts its tokens for a dictionary.

    The arguments and errors are those of :func:`binarize`; ``growing`` counts the tokens.
    """
    likely = growing.likely_tokens
    if likely is not None and likely <= _MOST_SMALL_IDS * 3 // 4:
        try:
            return _collect(path, prefix, growing, encode, machinery, _SMALL_IDS)
        except _TooManyTokensError:
            growing.forget_counts()
    return _collect(path, prefix, growing, encode, machinery, _LARGE_IDS)


def _collect(
    path: PathLike,
    prefix: PathLike,
    growing: GrowingIds,
    encode: Encode,
    machinery: Machinery,
    dtype: "np.dtype",
) -> BinarizedText:
    def work(numbered: Tuple[Block, int]) -> Tuple[Any, ...]:
        ids, offsets = encode(*numbered)
        counts = growing.count(ids)
        if dtype == _SMALL_IDS and len(counts) > _MOST_SMALL_IDS:
            raise _TooManyTokensError
        return ids.astype(dtype, copy=False), np.diff(offsets), counts

    def use(result: Tuple[Any, ...]) -> None:
        writer.add_ids(result[0])
        writer.add_sizes(result[1])
        growing.add(result[2])

    with IndexedDatasetWriter(prefix, dtype) as writer:
        source = _read(path, work, use, machinery)
    return _binarized(writer, 0, source)


def renumber(
    collected: PathLike,
    prefix: PathLike,
    counted: CountedTokens,
    dictionary: DictionaryFile,
    machinery: Machinery,
) -> int:
    """Replaces the provisional ids of :func:`collect` with those of the dictionary.

    Args:
        collected: prefix of the dataset with provisional ids.
        prefix: of the dataset to write.
        counted: the text's tokens.
        dictionary: tokens that it lacks become ``<unk>``.
        machinery: threads.

    Returns:
        The number of ``<unk>`` tokens.

    Raises:
        OSError: If a file cannot be read or written.
    """
    dtype = id_type(len(dictionary))
    find = dictionary.indices.indices.get
    numbers = np.full(counted.ids.max(initial=0) + 1, UNK, dtype)
    numbers[counted.ids] = [find(token, UNK) for token in counted.tokens]
    reader = IndexedDatasetReader(collected)
    core = native_core()
    unknown = 0

    def work(ids: "np.ndarray") -> Tuple["np.ndarray", int]:
        renumbered = core.renumber(ids, numbers)
        return renumbered, int(np.count_nonzero(renumbered == UNK))

    def use(result: Tuple["np.ndarray", int]) -> None:
        nonlocal unknown
        machinery.check()
        writer.add_ids(result[0])
        unknown += result[1]

    with IndexedDatasetWriter(prefix, dtype) as writer:
        for sizes in reader.sizes():
            writer.add_sizes(sizes)
        machinery.workers.in_order(reader.ids(), work, use)
    return unknown


def _read(
    path: PathLike,
    work: Callable[[Tuple[Block, int]], Any],
    use: Callable[[Any], None],
    machinery: Machinery,
) -> TextInput:
    """Runs all blocks of a text through the threads."""

    def count_bytes(size: int) -> None:
        machinery.check()
        machinery.progress.add(bytes=size)

    version = file_version(path)
    with TextInput([path], count_bytes) as source:
        try:
            machinery.workers.in_order(_numbered_blocks(source, machinery.progress), work, use)
        except ValueError as error:
            raise source.located(error) from None
        if file_version(path) != version:
            raise ValueError(f"{Path(path)}: changed while it was read: binarize it again")
    return source


def _numbered_blocks(source: TextInput, progress: Progress) -> Iterator[Tuple[Block, int]]:
    """The blocks of a text, each with the number of lines before it."""
    count_lines = native_core().TextSegmenter.count_lines
    before = 0
    for block in line_blocks(source, whole=True):
        yield block, before
        lines = count_lines(block)
        before += lines
        progress.add(lines=lines)


def _binarized(writer: IndexedDatasetWriter, unknown: int, source: TextInput) -> BinarizedText:
    return BinarizedText(
        writer.lines,
        writer.tokens,
        unknown,
        source.lone_carriage_returns,
        bool(source.with_mark),
    )
