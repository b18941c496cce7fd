"""Counts on this machine, in threads."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Callable, List, Optional, Tuple

from fairseq_subword_ext.counting.runs import (
    Counted,
    SortedRuns,
    most_frequent_first,
    sum_counts,
)
from fairseq_subword_ext.counting.spans import Span, divide
from fairseq_subword_ext.counting.tally import Tally
from fairseq_subword_ext.textio.inputs import expand
from fairseq_subword_ext.textio.pipeline import Turns, take_turns

# Small enough to keep all threads busy to the end, large enough for the overhead not to matter.
SPLIT_SIZE = 1 << 26

# Seconds to wait for threads after an interrupt, since one may be blocked on a pipe forever.
_PATIENCE = 1.0


@contextmanager
def counted_here(
    names: Sequence[str],
    num_workers: int = 1,
    carriage_return: str = "error",
    max_memory: Optional[int] = None,
    temporary_folder: Optional[str] = None,
    split_size: int = SPLIT_SIZE,
    progress: Callable[[int], None] = lambda size: None,
) -> Iterator[Tuple[Iterator[Counted], Counter]]:
    """Counts the words of files in threads.

    Args:
        names: paths, globs, fsspec URLs, ``-`` for standard input; gzip, xz and Zstandard are
            decompressed.
        num_workers: number of threads. Plain files are divided among them; other inputs are read by one
            thread each.
        carriage_return: "error", or "replace" to read a lone ``\\r`` as a space.
        max_memory: bytes for the tables and for sorting, for all threads together; the rest is spilled
            to disk. None for no limit.
        temporary_folder: where to spill; None for the system's temporary folder.
        split_size: bytes of a plain file that a thread takes at a time.
        progress: called with the number of bytes after each block.

    Yields:
        The words with their counts, most frequent first and then by their bytes, and the totals of
        :class:`.tally.Tally`.

    Raises:
        ValueError: If text cannot be used; names file and line.
        OSError: If an input cannot be read, or there is no room for temporary files.
    """
    spans = divide(expand(names), split_size)
    num_workers = max(min(num_workers, len(spans)), 1)
    limit = None if max_memory is None else max_memory // num_workers
    with SortedRuns(temporary_folder, sum_counts) as runs:
        tallies = [Tally(carriage_return, limit, runs) for _ in range(num_workers)]
        _count(spans, tallies, progress)
        totals = sum((tally.totals for tally in tallies), Counter())
        if max_memory is None:
            yield _merged(tallies), totals
            return
        for tally in tallies:
            tally.spill()
        yield most_frequent_first(runs.merged(), max_memory, temporary_folder), totals


def _merged(tallies: List[Tally]) -> Iterator[Counted]:
    """Merges all tables into one thread's; the others are freed on the way."""
    first = tallies.pop()
    while tallies:
        first.merge(tallies.pop())
    return first.most_frequent_first()


def _count(spans: List[Span], tallies: List[Tally], progress: Callable[[int], None]) -> None:
    """Lets each thread take the next span until there are none left."""
    lock = Lock()

    def works(turns: Turns) -> List[Callable[[Span], None]]:
        def watch(size: int) -> None:
            turns.check()
            with lock:
                progress(size)

        return [partial(tally.add, progress=watch) for tally in tallies]

    failures = take_turns(spans, works, patience=_PATIENCE, finishes=True)
    if failures:
        raise failures[min(failures)]
