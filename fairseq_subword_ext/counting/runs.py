"""Sorted runs: word counts that did not fit into memory, spilled to disk until they are merged.

This is external merge sort as in Knuth (The Art of Computer Programming, vol. 3, section 5.4): runs are
sorted in memory and merged many at a time, level by level.
"""

import heapq
import os
import tempfile
from contextlib import suppress
from itertools import groupby, islice
from operator import itemgetter
from threading import Lock
from typing import BinaryIO, Callable, Iterable, Iterator, List, Optional, Tuple

Counted = Tuple[bytes, int]  # a word and its count
# The negative count and the word: tuples that sort in the order of the result.
Ranked = Tuple[int, bytes]

# Number of runs merged at a time: files open and buffers in memory.
_FAN_IN = 32

# Memory per entry besides the word's bytes: a tuple, two objects, and sorting.
ENTRY_BYTES = 160


def counted(line: bytes) -> Counted:
    """Parses one line of a run: a word, U+0020 and its count."""
    word, _, count = line.rpartition(b" ")
    return word, int(count)


def ranked(line: bytes) -> Ranked:
    """Parses one line of a run in the order of the result."""
    word, _, count = line.rpartition(b" ")
    return -int(count), word


def sum_counts(runs: Iterable[Iterable[Counted]]) -> Iterator[Counted]:
    """Merges runs sorted by word and adds up the counts of the same word."""
    for word, group in groupby(heapq.merge(*runs), key=itemgetter(0)):
        yield word, sum(count for _, count in group)


def merge_ranked(runs: Iterable[Iterable[Ranked]]) -> Iterator[Ranked]:
    """Merges runs sorted in the order of the result, which share no word."""
    return heapq.merge(*runs)


class SortedRuns:
    """Runs in unlinked temporary files, so that nothing is left behind however the process ends.

    Args:
        folder: where to put the files; None for the system's temporary folder.
        merge: merges several sorted sequences into one.
        ranked: the entries are :data:`Ranked`, not :data:`Counted`.
    """

    def __init__(self, folder: Optional[str], merge: Callable, ranked: bool = False):
        self._folder = folder or tempfile.gettempdir()
        self._merge = merge
        self._ranked = ranked
        self._levels: List[List[BinaryIO]] = []  # a run merges _FAN_IN runs of the level below
        self._lock = Lock()
        self._files: List[BinaryIO] = []

    def __enter__(self) -> "SortedRuns":
        return self

    def __exit__(self, *exception: object) -> None:
        for file in self._files:
            with suppress(OSError):  # closing flushes again what a full disk did not take
                file.close()

    def __len__(self) -> int:
        return sum(map(len, self._levels))

    def add(self, entries: Iterable) -> None:
        """Writes one run of sorted entries.

        Raises:
            OSError: If the folder has no room; names the folder.
        """
        run = self._write(entries)
        with self._lock:
            self._add(run, 0)

    def merged(self) -> Iterator:
        """Returns all entries in order."""
        return self._merge([self._read(run) for level in self._levels for run in level])

    def _add(self, run: BinaryIO, level: int) -> None:
        if level == len(self._levels):
            self._levels.append([])
        runs = self._levels[level]
        runs.append(run)
        if len(runs) == _FAN_IN:
            self._levels[level] = []
            self._add(self._write(self._merge(map(self._read, runs))), level + 1)
            for run in runs:
                run.close()

    def _write(self, entries: Iterable) -> BinaryIO:
        try:
            run = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
            self._files.append(run)
            entries = iter(entries)
            while some := list(islice(entries, 10_000)):
                if self._ranked:
                    some = [(word, -count) for count, word in some]
                run.writelines(map(b"%b %d\n".__mod__, some))
            run.flush()
        except OSError as error:
            raise OSError(
                error.errno,
                f"{os.strerror(error.errno)} while counts were spilled to disk "
                "(choose another folder with --temporary-folder)",
                self._folder,
            ) from error
        return run

    def _read(self, run: BinaryIO) -> Iterator:
        run.seek(0)
        return map(ranked, run) if self._ranked else map(counted, run)


def most_frequent_first(
    counts: Iterable[Counted], limit: int, folder: Optional[str] = None
) -> Iterator[Counted]:
    """Sorts counts into the order of the result: by count, then by the words' bytes.

    Args:
        counts: each word once, in any order.
        limit: bytes of memory to use.
        folder: where to spill the rest.
    """
    with SortedRuns(folder, merge_ranked, ranked=True) as runs:
        held: List[Ranked] = []
        size = 0
        for word, count in counts:
            held.append((-count, word))
            size += ENTRY_BYTES + len(word)
            if size > limit:
                held.sort()
                runs.add(held)
                held, size = [], 0
        held.sort()
        for negative, word in heapq.merge(held, runs.merged()) if len(runs) else held:
            yield word, -negative
