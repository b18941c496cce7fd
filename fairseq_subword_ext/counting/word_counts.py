"""Counting words: the only thing that learning wants to know about a text.

A line ends at ``\\n`` and nowhere else, words are separated by U+0020 and nothing else, and nothing
is normalized. Files are counted in shards by several threads, streams in blocks as they come, both in
the compiled core; memory grows with the number of word types only.
"""

import hashlib
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterator, List, Mapping, Sequence, Tuple, Union

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.textio.compression import LONGEST_MAGIC, compression_of
from fairseq_subword_ext.textio.files import STANDARD_STREAM, PathLike, binary_reader

logger = logging.getLogger(__name__)

CARRIAGE_RETURNS = ("error", "replace")

Source = Union[PathLike, BinaryIO]

_BLOCK = 1 << 20


class WordCounts:
    """Word types with their counts, in order of first occurrence.

    Attributes:
        names: of the inputs, for the record and for messages.
        sha256: of the inputs' bytes, one after the other; of ``word count`` lines where the counts
            came from a mapping.
        facts: ``types``, ``tokens``, ``lines``, ``carriage_return_ends`` (lines that end in
            ``\\r\\n``) and ``lone_carriage_returns`` (those that were read as spaces).
    """

    def __init__(self, counter: Any, names: Sequence[str], sha256: str):
        self._counter = counter
        self.names = list(names)
        self.sha256 = sha256
        self.facts: Dict[str, int] = counter.facts()

    @classmethod
    def from_mapping(cls, counts: Mapping[str, int], name: str = "word counts") -> "WordCounts":
        """Takes counts that are known already; their order is the order of first occurrence.

        Raises:
            ValueError: where a word is empty or holds U+0020, ``\\n``, ``\\r`` or a lone surrogate,
                or a count is negative or above 2^63 - 1.
        """
        counter = native_core().WordCounter(split_at_carriage_return=False)
        digest = hashlib.sha256()
        for word, count in counts.items():
            data = word.encode("utf-8")
            if not 0 <= count < 1 << 63:
                raise ValueError(
                    f"the count of {word!r} is {count}; it has to be from 0 to 2^63 - 1"
                )
            counter.add(data, count)
            digest.update(data + b" %d\n" % count)
        return cls(counter, [name], digest.hexdigest())

    @property
    def name(self) -> str:
        """All names in one line."""
        return ", ".join(self.names)

    def items(self) -> List[Tuple[str, int]]:
        """The (word, count) pairs."""
        return self._counter.items()

    def __len__(self) -> int:
        return self.facts["types"]

    def __iter__(self) -> Iterator[str]:
        return iter([word for word, _ in self.items()])


def count_words(
    inputs: Union[Source, Sequence[Source], Mapping[str, int], WordCounts],
    dict_input: bool = False,
    num_workers: int = 1,
    carriage_return: str = "error",
) -> WordCounts:
    """Counts the words of texts.

    Args:
        inputs: a path, ``-`` for standard input, an open binary stream, several of them, or counts
            that are known already.
        dict_input: the inputs are ``word count`` lines.
        num_workers: threads; it changes nothing but the time taken.
        carriage_return: a ``\\r`` inside a line is an ``error``, or is read as a space (``replace``).
            At the end of a line it is taken off.

    Raises:
        ValueError: for an input that is no UTF-8, has a ``\\r`` inside a line, or no ``word count``
            line where that was said: with path and line.
        OSError: where an input cannot be read.
    """
    if carriage_return not in CARRIAGE_RETURNS:
        raise ValueError(f"carriage_return {carriage_return!r} is none of error, replace")
    if num_workers < 1:
        raise ValueError(f"num_workers is {num_workers}; it has to be 1 or more")
    if isinstance(inputs, WordCounts):
        return inputs
    if isinstance(inputs, Mapping):
        return WordCounts.from_mapping(inputs)
    if isinstance(inputs, (str, os.PathLike)) or hasattr(inputs, "read"):
        inputs = [inputs]
    if not inputs:
        raise ValueError("no input is given")
    counter = native_core().WordCounter(split_at_carriage_return=carriage_return == "replace")
    digest = hashlib.sha256()
    names = []
    for source in inputs:
        names.append(_name(source))
        if dict_input:
            data = _read(source)
            _refuse_compressed(names[-1], data[:LONGEST_MAGIC])
            digest.update(data)
            counter.add_dictionary(names[-1], data)
        elif hasattr(source, "read") or os.fspath(source) == STANDARD_STREAM:
            _count_stream(counter, source, names[-1], digest)
        else:
            _count_file(counter, source, digest, num_workers)
    counts = WordCounts(counter, names, digest.hexdigest())
    _report_carriage_returns(counts)
    return counts


def _name(source: Source) -> str:
    if hasattr(source, "read"):
        name = getattr(source, "name", "stream")
        return name if isinstance(name, str) else "stream"
    return "stdin" if os.fspath(source) == STANDARD_STREAM else os.fspath(source)


def _read(source: Source) -> bytes:
    if hasattr(source, "read"):
        return source.read()
    with binary_reader(source) as stream:
        return stream.read()


def _count_stream(counter: Any, source: Source, name: str, digest: Any) -> None:
    if not hasattr(source, "read"):
        with binary_reader(source) as stream:
            _count_stream(counter, stream, name, digest)
        return
    while True:
        block = source.read(_BLOCK)
        if not block:
            break
        digest.update(block)
        counter.feed(name, block)
    counter.finish()


def _count_file(counter: Any, path: PathLike, digest: Any, num_workers: int) -> None:
    # A pipe can be read only once.
    if not Path(path).is_file():
        with Path(path).open("rb") as stream:
            _count_stream(counter, stream, os.fspath(path), digest)
        return
    with Path(path).open("rb") as stream:
        _refuse_compressed(os.fspath(path), stream.read(LONGEST_MAGIC))
    with ThreadPoolExecutor(1) as pool:
        hashed = pool.submit(_hash_file, path, digest)
        counter.add_file(os.fspath(path), num_workers)
        hashed.result()


def _refuse_compressed(name: str, head: bytes) -> None:
    """Compressed bytes are no text, but advice on encodings would lead nowhere."""
    form = compression_of(head)
    if form is not None:
        raise ValueError(
            f"{name}: this is compressed with {form}; decompress it first, or count it with "
            "`fairseq-subword count-words` and learn from the counts (--dict-input)"
        )


def _hash_file(path: PathLike, digest: Any) -> None:
    with Path(path).open("rb") as stream:
        while True:
            block = stream.read(_BLOCK)
            if not block:
                return
            digest.update(block)


def _report_carriage_returns(counts: WordCounts) -> None:
    if counts.facts["carriage_return_ends"]:
        logger.warning(
            "%s: %d lines end in \\r\\n; the \\r is not part of the last word",
            counts.name,
            counts.facts["carriage_return_ends"],
        )
    if counts.facts["lone_carriage_returns"]:
        logger.warning(
            "%s: %d carriage returns inside lines were read as spaces",
            counts.name,
            counts.facts["lone_carriage_returns"],
        )
