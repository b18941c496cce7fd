"""Counting on this machine, in threads."""

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

# Small enough to keep all threads busy to the end, and large enough not to notice.
SPLIT_SIZE = 1 << 26


# Seconds to wait for threads after an interrupt: one may wait for a pipe for ever.
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
        names: paths, globs, URLs that fsspec knows, ``-`` for standard input; gzip, xz and Zstandard
            are read as what is in them.
        num_workers: threads. Plain files are divided among them, others are read by one each.
        carriage_return: "error", or "replace" for reading a lone ``\\r`` as a space.
        max_memory: bytes for the tables and for sorting, by all threads together; what is beyond
            them goes to disk. None for no limit.
        temporary_folder: for that; None for the system's.
        split_size: bytes of a plain file that a thread takes at a time.
        progress: called with the number of bytes after each block.

    Yields:
        the words with their counts, most frequent first and then by their bytes, and the facts of
        :class:`.tally.Tally`.

    Raises:
        ValueError: with file and line, for text that cannot be used.
        OSError: If an input cannot be read, or there is no room for temporary files.
    """
    spans = divide(expand(names), split_size)
    num_workers = max(min(num_workers, len(spans)), 1)
    limit = None if max_memory is None else max_memory // num_workers
    with SortedRuns(temporary_folder, sum_counts) as runs:
        tallies = [Tally(carriage_return, limit, runs) for _ in range(num_workers)]
        _count(spans, tallies, progress)
        facts = sum((tally.facts for tally in tallies), Counter())
        if max_memory is None:
            yield _merged(tallies), facts
            return
        for tally in tallies:
            tally.put_aside()
        yield most_frequent_first(runs.merged(), max_memory, temporary_folder), facts


def _merged(tallies: List[Tally]) -> Iterator[Counted]:
    """One thread's table takes in the others', which are given up on the way."""
    first = tallies.pop()
    while tallies:
        first.merge(tallies.pop())
    return first.most_frequent_first()


def _count(spans: List[Span], tallies: List[Tally], progress: Callable[[int], None]) -> None:
    """Lets each thread take the next span until there are none."""
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
