"""Counting on this machine, in threads."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Lock, Thread
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

# Small enough to keep all threads busy to the end, and large enough not to notice.
SPLIT_SIZE = 1 << 26


class _StopError(Exception):
    """Another thread has failed, or the user has interrupted."""


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
        OSError: where an input cannot be read, or there is no room for temporary files.
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
        first.absorb(tallies.pop().texts())
    return first.most_frequent_first()


def _count(spans: List[Span], tallies: List[Tally], progress: Callable[[int], None]) -> None:
    """Lets each thread take the next span until there are none."""
    stop = Event()
    lock = Lock()
    waiting = iter(enumerate(spans))
    failures: List[Tuple[int, Exception]] = []

    def watch(size: int) -> None:
        if stop.is_set():
            raise _StopError
        with lock:
            progress(size)

    def work(tally: Tally) -> None:
        while not (stop.is_set() or failures):
            with lock:
                index, span = next(waiting, (0, None))
            if span is None:
                return
            try:
                tally.add(span, watch)
            except _StopError:
                return
            except Exception as error:
                failures.append((index, error))

    # This thread takes part, so that Ctrl-C reaches a read that waits. Daemons, since another thread
    # may wait for a pipe for ever.
    others = [Thread(target=work, args=(tally,), daemon=True) for tally in tallies[1:]]
    try:
        for thread in others:
            thread.start()
        work(tallies[0])
        for thread in others:
            thread.join()
    finally:
        stop.set()
    if failures:
        # Spans are begun in order: of several errors this is the first in the text, always.
        raise min(failures, key=lambda failure: failure[0])[1]
