"""Counts spans on one thread with the compiled counter, within a memory limit."""

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, Callable, List, Optional

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.counting.runs import Counted, SortedRuns
from fairseq_subword_ext.counting.spans import Span, blocks_of, last_cut, lines_before
from fairseq_subword_ext.textio.encoding import BYTE_ORDER_MARK
from fairseq_subword_ext.textio.errors import LineError

# Upper bound of the memory per word type besides its bytes: the entry in the counter's table while that
# grows, and the Python objects when the table is sorted. Sorting holds the bytes twice.
_TYPE_BYTES = 320
# Assumed until the first run shows how long the words are: without spaces, a word is a sentence.
_LONG_WORD = 256
# Worst case of table bytes per byte of text: all words new, of three letters and a space.
_TABLE_BYTES = _TYPE_BYTES // 4
# In the worst case a block of text fills 1/8 of the memory, so that one can always be counted.
_BLOCK_SHARE = 8

# Blocks stay in a processor's cache between reading and counting.
_LARGEST_BLOCK, _SMALLEST_BLOCK = 1 << 18, 1 << 12
# What is counted besides words; the compiled counter counts all but the last.
TOTALS = ("tokens", "carriage_return_ends", "lone_carriage_returns", "byte_order_marks")


class Tally:
    """Counts spans of text; a table that outgrows its memory limit is spilled as a sorted run.

    Args:
        carriage_return: "error", or "replace" to read a lone ``\\r`` as a space.
        limit: bytes of memory for the table; None for no limit.
        runs: where to spill; required with a limit.
    """

    def __init__(
        self,
        carriage_return: str = "error",
        limit: Optional[int] = None,
        runs: Optional[SortedRuns] = None,
    ):
        self._split = carriage_return == "replace"
        self._limit = limit
        self._runs = runs
        self._block = _LARGEST_BLOCK
        if limit is not None:
            most = limit // (_BLOCK_SHARE * _TABLE_BYTES)
            self._block = min(max(most, _SMALLEST_BLOCK), _LARGEST_BLOCK)
        self._word_bytes = float(_LONG_WORD)
        self._past: Counter = Counter()
        self._begin()

    @property
    def totals(self) -> Counter:
        """``tokens``, ``carriage_return_ends``, ``lone_carriage_returns``, ``byte_order_marks`` so far."""
        now = self._counter.totals()
        return self._past + Counter({name: now[name] for name in TOTALS[:-1]})

    def add(self, span: Span, progress: Callable[[int], None] = lambda size: None) -> None:
        """Counts one span.

        Args:
            span: what to read.
            progress: called with the size of each block; may raise to stop.

        Raises:
            ValueError: If text cannot be used (names file and line), compressed data is broken, or the
                file changes.
            OSError: If the span cannot be read, or there is no room for a run.
        """
        lines = newlines = 0  # in what the counter has finished, and in the rest
        try:
            for number, block in enumerate(blocks_of(span, self._block)):
                progress(len(block))
                if number == 0 and span.start == 0 and block.startswith(BYTE_ORDER_MARK):
                    self._past["byte_order_marks"] += 1
                if self._limit is None:
                    self._counter.feed(block)
                    continue
                cut = last_cut(block)
                self._fed += len(block)
                if cut:
                    self._counter.feed(block[:cut])
                    self._counter.finish()
                    lines += newlines + block.count(b"\n", 0, cut)
                    newlines = 0
                    if self._is_full():
                        self.spill()
                self._counter.feed(block[cut:])
                newlines += block.count(b"\n", cut)
            self._counter.finish()
        except LineError as error:
            raise error.moved(lines_before(span) + lines, span.shown) from None

    @property
    def counter(self) -> Any:
        """The compiled counter."""
        return self._counter

    def spill(self) -> None:
        """Writes the table as a sorted run and starts a new one."""
        assert self._runs is not None
        entries = self._counter.items()
        entries.sort()  # by code points, which is the order of the bytes of UTF-8
        self._past = self.totals
        self._begin()
        size = 0

        def encoded() -> Iterator[Counted]:
            nonlocal size
            for word, count in entries:
                data = word.encode()
                size += len(data)
                yield data, count

        self._runs.add(encoded())
        self._word_bytes = 1.25 * size / max(len(entries), 1)

    def absorb(self, texts: Iterable[bytes]) -> None:
        """Adds other tables, given as ``word count`` lines."""
        for text in texts:
            self._counter.add_dictionary(text)

    def merge(self, other: "Tally") -> None:
        """Adds another table and empties it; its words come after this one's."""
        self._past += other._past
        self._counter.merge(other._counter)

    def parts(self, number: int) -> List[bytes]:
        """Returns the table as ``word count`` lines, partitioned by a hash that is equal on all machines."""
        lines: List[List[bytes]] = [[] for _ in range(number)]
        for word, count in self._counter.items():
            data = word.encode()
            lines[zlib.crc32(data) % number].append(b"%b %d\n" % (data, count))
        return [b"".join(some) for some in lines]

    def most_frequent_first(self) -> Iterator[Counted]:
        """Returns the table in the order of the result: by count, then by the words' bytes."""
        entries = self._counter.items()
        self._begin()
        entries.sort()
        entries.sort(key=itemgetter(1), reverse=True)  # words of one count stay in order
        return ((word.encode(), count) for word, count in entries)

    def _begin(self) -> None:
        self._counter = native_core().WordCounter(split_at_carriage_return=self._split)
        self._fed = 0

    def _is_full(self) -> bool:
        types = self._counter.totals()["types"]
        word_bytes = min(self._fed, types * self._word_bytes)
        used = types * _TYPE_BYTES + 2 * word_bytes
        return used > self._limit * (_BLOCK_SHARE - 1) / _BLOCK_SHARE
