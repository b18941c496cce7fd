"""Segments many files, each into its own output file, and keeps all processors busy to the end.

Several files are open at once, so that reading, decompression and finishing overlap. Their blocks are
segmented and compressed by one pool of threads, so that a single large file keeps all of them busy too.
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
        source: the file to read; compression is detected from the content.
        target: the file to write; its folder must exist.
        coder: segments the text.
        compression: of the target: ``.gz``, ``.xz``, ``.zst``, or empty for none.
    """

    source: Path
    target: Path
    coder: BlockCoder
    compression: str = ""


@dataclass(frozen=True)
class SegmentedFile:
    """A finished file.

    Attributes:
        job: the job.
        source_version, target_version: as returned by :func:`file_version`.
        lines: lines read and written.
        carriage_return_ends: lines that end in ``\\r\\n``.
        lone_carriage_returns: carriage returns inside lines.
        has_mark: whether the text starts with a byte-order mark.
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
    """Progress over all files.

    Attributes:
        files: files finished.
        bytes: bytes read, before decompression.
        lines: lines read.
    """

    files: int = 0
    bytes: int = 0
    lines: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, files: int = 0, bytes: int = 0, lines: int = 0) -> None:
        """Adds to the counts; several threads may call it."""
        with self._lock:
            self.files += files
            self.bytes += bytes
            self.lines += lines


def file_version(file: Union[int, PathLike]) -> FileVersion:
    """A file's size and modification time, which show without reading it whether it has changed."""
    status = os.stat(file)  # noqa: PTH116 - also takes an open file
    return status.st_size, status.st_mtime_ns


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
    """Segments files; each target appears complete when it is done, or not at all.

    Args:
        jobs: in the order in which to start them. Targets must be distinct.
        num_workers: threads that segment and compress; the output does not depend on their number.
        level: the compression level of targets that are compressed.
        keep_going: continue with the other files if one cannot be read.
        record: called once per finished file, from several threads.
        watch: called with each block of segmented text, in order within a file, from several threads.
        progress: kept up to date.
        tick: called several times per second, from the calling thread.

    Returns:
        The finished files, in any order; and, with ``keep_going``, the errors of the others, in the order
        of the jobs.

    Raises:
        ValueError: If text cannot be used (names file and line), compressed data is broken, or a file
            changes while it is read. Files already finished are kept.
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
    """Whether an error concerns this input alone, so that other files can still be segmented."""
    return isinstance(error, ValueError) or getattr(error, "filename", None) == str(job.source)


class _Run:
    """The state that the threads share."""

    def __init__(self, workers, files, num_workers, level, record, watch, progress):
        self.done: List[SegmentedFile] = []
        self._lock = threading.Lock()
        self._workers = workers
        self._level = level
        # For formats whose library has its own threads: as many as other files do not need.
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
                    # Before another process can replace the file.
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
