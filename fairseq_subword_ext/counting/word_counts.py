"""Word counts in order of first occurrence: all that learning needs to know about a text.

A line ends at ``\\n`` and nowhere else, words are separated by U+0020 and nothing else, and nothing
is normalized. Files are divided among threads, streams are counted as they arrive, both in the compiled
core; memory grows only with the number of word types.
"""

import hashlib
import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Callable, Dict, List, Tuple, Union

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.counting.spans import Span, divide
from fairseq_subword_ext.counting.tally import TOTALS, Tally
from fairseq_subword_ext.textio.encoding import byte_order_mark_warning
from fairseq_subword_ext.textio.errors import LineError, whole_number
from fairseq_subword_ext.textio.files import STANDARD_STREAM
from fairseq_subword_ext.textio.inputs import (
    Input,
    expand,
    is_url,
    open_input,
    shown_name,
)
from fairseq_subword_ext.textio.lines import CARRIAGE_RETURNS
from fairseq_subword_ext.textio.pipeline import Turns, take_turns
from fairseq_subword_ext.textio.text_input import open_text

logger = logging.getLogger(__name__)

_BLOCK = 1 << 18
# Less text than this is not worth a thread.
_SMALLEST_SHARE = 1 << 18
# Seconds to wait for threads after an interrupt.
_PATIENCE = 1.0


class WordCounts:
    """Word types with their counts, in order of first occurrence.

    Attributes:
        names: the inputs' names, for metadata and messages.
        sha256: digest of the inputs' concatenated bytes, or of ``word count`` lines if the counts come
            from a mapping.
        totals: ``types``, ``tokens``, ``carriage_return_ends`` (lines that end in ``\\r\\n``),
            ``lone_carriage_returns`` (carriage returns read as spaces) and ``byte_order_marks`` (texts
            that start with one).
    """

    def __init__(self, counter: Any, names: Sequence[str], sha256: str, totals: Mapping[str, int]):
        self._counter = counter
        self.names = list(names)
        self.sha256 = sha256
        self.totals: Dict[str, int] = {**dict.fromkeys(TOTALS, 0), **totals}
        self.totals["types"] = counter.totals()["types"]

    @classmethod
    def from_mapping(cls, counts: Mapping[str, int], name: str = "word counts") -> "WordCounts":
        """Takes existing counts; their order stands for the order of first occurrence.

        Raises:
            ValueError: If a word is empty or contains U+0020, ``\\n``, ``\\r`` or a lone surrogate,
                or a count is negative or above 2^63 - 1.
        """
        counter = native_core().WordCounter(split_at_carriage_return=False)
        digest = hashlib.sha256()
        for word, count in counts.items():
            data = word.encode("utf-8")
            counter.add(data, whole_number(f"the count of {word!r}", count))
            digest.update(data + b" %d\n" % count)
        return cls(counter, [name], digest.hexdigest(), {"tokens": counter.totals()["tokens"]})

    @property
    def name(self) -> str:
        """All names on one line."""
        return ", ".join(self.names)

    @property
    def lines(self) -> int:
        """The number of lines read; 0 if the counts come from a mapping."""
        return self._counter.totals()["lines"]

    def items(self) -> List[Tuple[str, int]]:
        """Returns the (word, count) pairs."""
        return self._counter.items()

    def __len__(self) -> int:
        return self.totals["types"]

    def __iter__(self) -> Iterator[str]:
        return iter([word for word, _ in self.items()])


def count_words(
    inputs: Union[Input, Sequence[Input], Mapping[str, int], WordCounts],
    dict_input: bool = False,
    num_workers: int = 1,
    carriage_return: str = "error",
) -> WordCounts:
    """Counts the words of texts.

    Args:
        inputs: a path, a glob, an fsspec URL, ``-`` for standard input, an open binary stream, several of
            these, or existing counts. Compressed inputs are decompressed.
        dict_input: whether the inputs are ``word count`` lines.
        num_workers: number of threads; it does not change the result.
        carriage_return: a ``\\r`` inside a line is an ``error``, or is read as a space (``replace``).
            At the end of a line it is stripped.

    Raises:
        LineError: If a line is not UTF-8, has a ``\\r`` inside, or, with ``dict_input``, is not a
            ``word count`` line.
        ValueError: If a text is UTF-16, compressed data is broken, or an argument cannot be used.
        OSError: If an input cannot be read.
    """
    if carriage_return not in CARRIAGE_RETURNS:
        raise ValueError(f"carriage_return must be 'error' or 'replace', not {carriage_return!r}")
    num_workers = whole_number("num_workers", num_workers, 1)
    if isinstance(inputs, WordCounts):
        return inputs
    if isinstance(inputs, Mapping):
        return WordCounts.from_mapping(inputs)
    if isinstance(inputs, (str, os.PathLike)) or hasattr(inputs, "read"):
        inputs = [inputs]
    sources: List[Input] = []
    for source in inputs:
        sources += expand([source]) if isinstance(source, (str, os.PathLike)) else [source]
    if not sources:
        raise ValueError("no input given")
    if dict_input:
        tally, sha256 = _add_dictionaries(sources)
    else:
        tally, sha256 = _count_texts(sources, num_workers, carriage_return)
    counts = WordCounts(tally.counter, [_recorded_name(s) for s in sources], sha256, tally.totals)
    _report(counts)
    return counts


def _recorded_name(source: Input) -> str:
    """The name of an input in the metadata of a merge table."""
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) == STANDARD_STREAM:
        return "stdin"
    return shown_name(source)


class _HashedStream:
    """A stream whose bytes are hashed as they are read."""

    def __init__(self, stream: BinaryIO, digest: Any, name: str):
        self._stream = stream
        self._digest = digest
        self.name = name

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(size)
        self._digest.update(block)
        return block


@contextmanager
def _hashed(source: Input, digest: Any) -> Iterator[Any]:
    with open_input(source) as stream:
        yield _HashedStream(stream, digest, shown_name(source))


def _add_dictionaries(sources: Sequence[Input]) -> Tuple[Tally, str]:
    tally, digest = Tally(), hashlib.sha256()
    for source in sources:
        with _hashed(source, digest) as hashed, open_text(hashed) as (read, _):
            text = b"".join(iter(lambda: read(_BLOCK), b""))
        try:
            tally.absorb([text])
        except LineError as error:
            raise error.moved(0, shown_name(source)) from None
    return tally, digest.hexdigest()


def _count_texts(
    sources: Sequence[Input], num_workers: int, carriage_return: str
) -> Tuple[Tally, str]:
    """Counts texts with one tally per thread, each over consecutive spans."""
    digest = hashlib.sha256()
    spans = divide(sources, 1 << 62)
    if any(span.size is None or is_url(str(span.name)) for span in spans):
        # What can be read only once is hashed while it is counted, so all is read in order.
        tally = Tally(carriage_return)
        for source in sources:
            with _hashed(source, digest) as hashed:
                tally.add(Span(hashed))
        return tally, digest.hexdigest()
    total = sum(span.size or 0 for span in spans)
    share = max(total // num_workers + 1, _SMALLEST_SHARE)
    shares = _consecutive(divide(sources, share), share)
    tallies = [Tally(carriage_return) for _ in shares]
    with _hashed_in_background(sources, digest):
        failures = take_turns(
            list(zip(tallies, shares)),
            lambda turns: [_counting(turns)] * min(num_workers, len(shares)),
            patience=_PATIENCE,
            finishes=True,
        )
        if failures:
            raise failures[min(failures)]
    first = tallies[0]
    for tally in tallies[1:]:
        first.merge(tally)
    return first, digest.hexdigest()


def _consecutive(spans: Sequence[Span], size: int) -> List[List[Span]]:
    """Groups spans into shares of about this size, in the order of the text."""
    shares: List[List[Span]] = [[]]
    left = size
    for span in spans:
        if left <= 0:
            shares.append([])
            left = size
        shares[-1].append(span)
        left -= (span.size or 0) if span.stop is None else span.stop - span.start
    return shares


def _counting(turns: Turns) -> Callable[[Tuple[Tally, List[Span]]], None]:
    def count(share: Tuple[Tally, List[Span]]) -> None:
        tally, spans = share
        for span in spans:
            tally.add(span, lambda size: turns.check())

    return count


@contextmanager
def _hashed_in_background(sources: Sequence[Input], digest: Any) -> Iterator[None]:
    """Hashes files in a separate thread while the block runs, then waits for it."""
    stop = threading.Event()
    failures: List[BaseException] = []

    def hash_all() -> None:
        try:
            for source in sources:
                with open_input(source) as stream:
                    while not stop.is_set() and (block := stream.read(_BLOCK)):
                        digest.update(block)
        except BaseException as error:  # raised by the other thread
            failures.append(error)

    thread = threading.Thread(target=hash_all, daemon=True)
    thread.start()
    try:
        yield
    except BaseException:
        stop.set()
        raise
    finally:
        thread.join()
    if failures:
        raise failures[0]


def _report(counts: WordCounts) -> None:
    if counts.totals.get("carriage_return_ends"):
        logger.warning(
            "%s: %d lines end in \\r\\n; the \\r is not part of the last word",
            counts.name,
            counts.totals["carriage_return_ends"],
        )
    if counts.totals.get("lone_carriage_returns"):
        logger.warning(
            "%s: %d carriage returns inside lines were read as spaces",
            counts.name,
            counts.totals["lone_carriage_returns"],
        )
    marks = counts.totals.get("byte_order_marks")
    if marks:
        which = "begins" if len(counts.names) == 1 else f"{marks} of them begin"
        logger.warning("%s", byte_order_mark_warning(f"{counts.name}: {which}"))
