"""Word counts in order of first occurrence: the only thing that learning wants to know about a text.

A line ends at ``\\n`` and nowhere else, words are separated by U+0020 and nothing else, and nothing
is normalized. Files are counted in shares by several threads, streams as they come, both in the
compiled core; memory grows with the number of word types only.
"""

import hashlib
import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, BinaryIO, Callable, Dict, List, Tuple, Union

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.counting.spans import Span, divide
from fairseq_subword_ext.counting.tally import FACTS, Tally
from fairseq_subword_ext.textio.encoding import mark_remark
from fairseq_subword_ext.textio.errors import LineError, whole_number
from fairseq_subword_ext.textio.files import STANDARD_STREAM
from fairseq_subword_ext.textio.inputs import (
    Input,
    expand,
    is_url,
    open_input,
    open_text,
    shown_name,
)
from fairseq_subword_ext.textio.lines import CARRIAGE_RETURNS
from fairseq_subword_ext.textio.pipeline import Turns, take_turns

logger = logging.getLogger(__name__)

_BLOCK = 1 << 20
# Less text is not worth a thread.
_SMALLEST_SHARE = 1 << 18
# Seconds to wait for threads after an interrupt.
_PATIENCE = 1.0


class WordCounts:
    """Word types with their counts, in order of first occurrence.

    Attributes:
        names: of the inputs, for the record and for messages.
        sha256: of the inputs' bytes, one after the other; of ``word count`` lines where the counts
            came from a mapping.
        facts: ``types``, ``tokens``, ``carriage_return_ends`` (lines that end in ``\\r\\n``),
            ``lone_carriage_returns`` (those that were read as spaces) and ``byte_order_marks`` (texts
            that begin with one).
    """

    def __init__(self, counter: Any, names: Sequence[str], sha256: str, facts: Mapping[str, int]):
        self._counter = counter
        self.names = list(names)
        self.sha256 = sha256
        self.facts: Dict[str, int] = {**dict.fromkeys(FACTS, 0), **facts}
        self.facts["types"] = counter.facts()["types"]

    @classmethod
    def from_mapping(cls, counts: Mapping[str, int], name: str = "word counts") -> "WordCounts":
        """Takes counts that are known already; their order is the order of first occurrence.

        Raises:
            ValueError: If a word is empty or holds U+0020, ``\\n``, ``\\r`` or a lone surrogate,
                or a count is negative or above 2^63 - 1.
        """
        counter = native_core().WordCounter(split_at_carriage_return=False)
        digest = hashlib.sha256()
        for word, count in counts.items():
            data = word.encode("utf-8")
            counter.add(data, whole_number(f"the count of {word!r}", count))
            digest.update(data + b" %d\n" % count)
        return cls(counter, [name], digest.hexdigest(), {"tokens": counter.facts()["tokens"]})

    @property
    def name(self) -> str:
        """All names in one line."""
        return ", ".join(self.names)

    @property
    def lines(self) -> int:
        """The number of lines that were read; 0 where the counts came from a mapping."""
        return self._counter.facts()["lines"]

    def items(self) -> List[Tuple[str, int]]:
        """The (word, count) pairs."""
        return self._counter.items()

    def __len__(self) -> int:
        return self.facts["types"]

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
        inputs: a path, a glob, a URL that fsspec knows, ``-`` for standard input, an open binary stream,
            several of them, or counts that are known already. What is compressed is decompressed.
        dict_input: the inputs are ``word count`` lines.
        num_workers: threads; it changes nothing but the time taken.
        carriage_return: a ``\\r`` inside a line is an ``error``, or is read as a space (``replace``).
            At the end of a line it is stripped.

    Raises:
        LineError: If a line is not UTF-8, has a ``\\r`` inside, or is no ``word count`` line where
            that was said.
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
        raise ValueError("no input is given")
    if dict_input:
        tally, sha256 = _add_dictionaries(sources)
    else:
        tally, sha256 = _count_texts(sources, num_workers, carriage_return)
    counts = WordCounts(tally.counter, [_recorded_name(s) for s in sources], sha256, tally.facts)
    _report(counts)
    return counts


def _recorded_name(source: Input) -> str:
    """What the record of learning calls an input."""
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) == STANDARD_STREAM:
        return "stdin"
    return shown_name(source)


class _HashedStream:
    """A stream, all of whose bytes are hashed as they are read."""

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
    """Counts texts by as many tallies as there are threads, each of consecutive spans."""
    digest = hashlib.sha256()
    spans = divide(sources, 1 << 62)
    if any(span.size is None or is_url(str(span.name)) for span in spans):
        # What is read once only is hashed on the way, so that everything goes in order.
        tally = Tally(carriage_return)
        for source in sources:
            with _hashed(source, digest) as hashed:
                tally.add(Span(hashed))
        return tally, digest.hexdigest()
    total = sum(span.size or 0 for span in spans)
    share = max(total // num_workers + 1, _SMALLEST_SHARE)
    shares = _consecutive(divide(sources, share), share)
    tallies = [Tally(carriage_return) for _ in shares]
    with _hashed_beside(sources, digest):
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
    """Divides spans into shares of about this size, in the order of the text."""
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
def _hashed_beside(sources: Sequence[Input], digest: Any) -> Iterator[None]:
    """Hashes files in a thread of its own while the block runs, and afterwards waits for it."""
    stop = threading.Event()

    def hash_all() -> None:
        for source in sources:
            with open_input(source) as stream:
                while not stop.is_set() and (block := stream.read(_BLOCK)):
                    digest.update(block)

    with ThreadPoolExecutor(1) as pool:
        hashed = pool.submit(hash_all)
        try:
            yield
        except BaseException:
            stop.set()
            raise
        hashed.result()


def _report(counts: WordCounts) -> None:
    if counts.facts.get("carriage_return_ends"):
        logger.warning(
            "%s: %d lines end in \\r\\n; the \\r is not part of the last word",
            counts.name,
            counts.facts["carriage_return_ends"],
        )
    if counts.facts.get("lone_carriage_returns"):
        logger.warning(
            "%s: %d carriage returns inside lines were read as spaces",
            counts.name,
            counts.facts["lone_carriage_returns"],
        )
    marks = counts.facts.get("byte_order_marks")
    if marks:
        which = "begins" if len(counts.names) == 1 else f"{marks} of them begin"
        logger.warning("%s", mark_remark(f"{counts.name}: {which}"))
