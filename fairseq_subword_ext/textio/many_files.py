"""Segmentation of many files, each to a file of its own, with all processors at work to the end.

Several files are in work at once, so that reading, decompressing and finishing them goes on side by side;
their blocks are segmented and compressed by the same threads, so that one large file keeps all of these
busy, too.
"""

import os
import threading
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Tuple, Union

from fairseq_subword_ext.textio.block_stream import Block, BlockCoder, segment_stream
from fairseq_subword_ext.textio.compressed_output import OUTPUTS
from fairseq_subword_ext.textio.files import PathLike, atomic_writer
from fairseq_subword_ext.textio.pipeline import SharedWorkers
from fairseq_subword_ext.textio.text_input import TextInput

FileVersion = Tuple[int, int]

_TICK_SECONDS = 0.2


@dataclass(frozen=True)
class FileJob:
    """One file to segment.

    Attributes:
        source: what to read; compressed or not, told by its content.
        target: what to write; its folder has to exist.
        coder: what segments.
        compression: of the target: ``.gz``, ``.xz``, ``.zst``, or empty for none.
    """

    source: Path
    target: Path
    coder: BlockCoder
    compression: str = ""


@dataclass(frozen=True)
class SegmentedFile:
    """A file that is done.

    Attributes:
        job: what was to be done.
        source_version, target_version: as :func:`file_version` gave them.
        lines: read, and written.
        carriage_return_ends: lines that end in ``\\r\\n``.
        lone_carriage_returns: those inside lines.
    """

    job: FileJob
    source_version: FileVersion
    target_version: FileVersion
    lines: int
    carriage_return_ends: int
    lone_carriage_returns: int


@dataclass
class Progress:
    """How far all files together are.

    Attributes:
        files: that are done.
        bytes: that were read, compressed as they are.
        lines: that were read.
    """

    files: int = 0
    bytes: int = 0
    lines: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, files: int = 0, bytes: int = 0, lines: int = 0) -> None:
        """Counts more; may be called by several threads."""
        with self._lock:
            self.files += files
            self.bytes += bytes
            self.lines += lines


def file_version(file: Union[int, PathLike]) -> FileVersion:
    """What tells without reading it that a file has not changed: its size, and when it was written."""
    facts = os.stat(file)  # noqa: PTH116 - an open file, too
    return facts.st_size, facts.st_mtime_ns


def segment_files(
    jobs: Sequence[FileJob],
    num_workers: int = 1,
    level: Optional[int] = None,
    keep_going: bool = False,
    record: Callable[[SegmentedFile], None] = lambda done: None,
    watch: Callable[[FileJob, Block], None] = lambda job, block: None,
    progress: Optional[Progress] = None,
    tick: Callable[[], None] = lambda: None,
) -> Tuple[List[SegmentedFile], List[Exception]]:
    """Segments files; each target appears whole when it is done, or not at all.

    Args:
        jobs: in the order in which they are begun. No target may be there twice.
        num_workers: threads that segment and compress; no output depends on them.
        level: of compression, where a target has one.
        keep_going: go on with the other files where one cannot be read.
        record: called for each file when it is there, by several threads.
        watch: called with each block of segmented text, in the order of its file, by several threads.
        progress: kept up to date.
        tick: called several times a second, by the calling thread.

    Returns:
        What was done, in any order, and, with ``keep_going``, why other files were not, in their order.

    Raises:
        ValueError: with file and line for text that cannot be used, for broken compressed data, and
            where a file changes while it is read. The files that are whole by then stay.
        OSError: where a file cannot be read or written.
    """
    with SharedWorkers(num_workers) as workers:
        run = _Run(jobs, workers, num_workers, level, keep_going, record, watch, progress)
        with run.started(min(num_workers, len(jobs))) as all_ended:
            for ended in all_ended:
                while not ended.wait(_TICK_SECONDS):
                    tick()
    failures = [run.failures[index] for index in sorted(run.failures)]
    if failures and not run.goes_on:
        raise failures[0]
    return run.done, failures


class _StopError(Exception):
    """Another thread has failed, or the user has interrupted."""


class _Run:
    """The state that the threads share, each of which takes the next file until there is none."""

    def __init__(self, jobs, workers, num_workers, level, keep_going, record, watch, progress):
        self.done: List[SegmentedFile] = []
        self.failures: Dict[int, Exception] = {}
        self.goes_on = keep_going
        self._waiting = iter(enumerate(jobs))
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._workers = workers
        self._level = level
        # Where a format has threads of its own: as many as are not needed for other files.
        self._threads_a_file = max(1, num_workers // max(1, min(num_workers, len(jobs))))
        self._record = record
        self._watch = watch
        self._progress = progress or Progress()

    @contextmanager
    def started(self, number: int) -> Iterator[List[threading.Event]]:
        """Starts so many threads, and gives what tells that each has ended; none is left behind.

        An interrupt inside Thread.join() makes Python take a thread for dead that is not; so events
        are what is waited for.
        """
        all_ended = [threading.Event() for _ in range(number)]
        threads = [threading.Thread(target=self._take_files, args=(ended,)) for ended in all_ended]
        try:
            for thread in threads:
                thread.start()
            yield all_ended
        finally:
            # They are through with all files, or have to leave what they are at.
            self._stop.set()
            for thread, ended in zip(threads, all_ended):
                if thread.ident is not None:
                    ended.wait()
                    thread.join()

    def _take_files(self, ended: threading.Event) -> None:
        try:
            while not self._stop.is_set() and self._take_file():
                pass
        finally:
            ended.set()

    def _take_file(self) -> bool:
        """Segments the next file; False where there is none, or no reason to go on."""
        with self._lock:
            index, job = next(self._waiting, (0, None))
        if job is None:
            return False
        try:
            done = self._segment(job)
            self._record(done)
        except _StopError:
            return False
        except Exception as error:
            self.failures[index] = error
            of_input = getattr(error, "filename", None) == str(job.source)
            if not (self.goes_on and (isinstance(error, ValueError) or of_input)):
                self.goes_on = False
                self._stop.set()
        else:
            self._progress.add(files=1)
            with self._lock:
                self.done.append(done)
        return True

    def _segment(self, job: FileJob) -> SegmentedFile:
        output = OUTPUTS[job.compression](
            self._level if job.compression else None, self._threads_a_file
        )
        version = file_version(job.source)
        with TextInput([str(job.source)], self._count_bytes) as source:
            try:
                with atomic_writer(job.target) as target:
                    lines = segment_stream(
                        source,
                        target,
                        replace(job.coder, count_lines=self._counting_lines(job.coder)),
                        self._workers.in_order,
                        output,
                        lambda block: self._watch(job, block),
                    )
                    if file_version(job.source) != version:
                        raise ValueError("changed while it was read: segment it again")
                    # Before anybody else can put another file there.
                    target.flush()
                    target_version = file_version(target.fileno())
            except ValueError as error:
                raise source.located(error) from None
        return SegmentedFile(
            job,
            version,
            target_version,
            lines,
            source.carriage_return_ends,
            source.lone_carriage_returns,
        )

    def _count_bytes(self, size: int) -> None:
        if self._stop.is_set():
            raise _StopError
        self._progress.add(bytes=size)

    def _counting_lines(self, coder: BlockCoder) -> Callable[[Block], int]:
        def count_lines(block: Block) -> int:
            lines = coder.count_lines(block)
            self._progress.add(lines=lines)
            return lines

        return count_lines
