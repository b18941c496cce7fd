"""Segmentation of many files, each to a file of its own, with all processors at work to the end.

Several files are in work at once, so that they are read, decompressed and finished side by side; their
blocks are segmented and compressed by the same threads, so that one large file keeps all of these busy,
too.
"""

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Callable, List, Optional, Tuple, Union

from fairseq_subword_ext.textio.block_stream import Block, BlockCoder, segment_stream
from fairseq_subword_ext.textio.compressed_output import OUTPUTS
from fairseq_subword_ext.textio.files import PathLike, atomic_writer
from fairseq_subword_ext.textio.pipeline import Turns, Workers, take_turns
from fairseq_subword_ext.textio.text_input import TextInput

FileVersion = Tuple[int, int]


@dataclass(frozen=True)
class FileJob:
    """One file to segment.

    Attributes:
        source: what to read; compressed or not, detected from its content.
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
        has_mark: whether the text begins with a byte-order mark.
    """

    job: FileJob
    source_version: FileVersion
    target_version: FileVersion
    lines: int
    carriage_return_ends: int
    lone_carriage_returns: int
    has_mark: bool


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
        OSError: If a file cannot be read or written.
    """
    with Workers(num_workers) as workers:
        run = _Run(workers, len(jobs), num_workers, level, record, watch, progress)
        failures = take_turns(
            jobs,
            lambda turns: [partial(run.take, turns)] * min(num_workers, len(jobs)),
            lambda job, error: keep_going and _is_of_input(job, error),
            tick,
        )
    errors = [failures[index] for index in sorted(failures)]
    if errors and not (keep_going and all(_is_of_input(jobs[i], failures[i]) for i in failures)):
        raise errors[0]
    return run.done, errors


def _is_of_input(job: FileJob, error: Exception) -> bool:
    """Whether an error is one of this input, so that other files can still be segmented."""
    return isinstance(error, ValueError) or getattr(error, "filename", None) == str(job.source)


class _Run:
    """What the threads share."""

    def __init__(self, workers, files, num_workers, level, record, watch, progress):
        self.done: List[SegmentedFile] = []
        self._lock = threading.Lock()
        self._workers = workers
        self._level = level
        # Where a format has threads of its own: as many as are not needed for other files.
        self._threads_per_file = max(1, num_workers // max(1, min(num_workers, files)))
        self._record = record
        self._watch = watch
        self._progress = progress or Progress()

    def take(self, turns: Turns, job: FileJob) -> None:
        """Segments one file."""
        done = self._segment(turns, job)
        self._record(done)
        self._progress.add(files=1)
        with self._lock:
            self.done.append(done)

    def _segment(self, turns: Turns, job: FileJob) -> SegmentedFile:
        def count_bytes(size: int) -> None:
            turns.check()
            self._progress.add(bytes=size)

        output = OUTPUTS[job.compression](
            self._level if job.compression else None, self._threads_per_file
        )
        version = file_version(job.source)
        with TextInput([str(job.source)], count_bytes) as source:
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
            bool(source.with_mark),
        )

    def _counting_lines(self, coder: BlockCoder) -> Callable[[Block], int]:
        def count_lines(block: Block) -> int:
            lines = coder.count_lines(block)
            self._progress.add(lines=lines)
            return lines

        return count_lines
