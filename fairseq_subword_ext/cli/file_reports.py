"""Notices, among many files, those whose text falls to pieces."""

import threading
from pathlib import Path
from typing import Callable, Dict, List

from fairseq_subword_ext.cli.common import note
from fairseq_subword_ext.cli.split_report import SplitReport
from fairseq_subword_ext.textio.block_stream import Block
from fairseq_subword_ext.textio.many_files import FileJob

_MOST_WARNINGS = 3


class FileReports:
    """A report for each of many files, of which several are in work at once.

    Args:
        make: gives a new report.
    """

    def __init__(self, make: Callable[[], SplitReport]):
        self._make = make
        self._lock = threading.Lock()
        self._open: Dict[Path, SplitReport] = {}
        self._warnings: List[str] = []

    def see(self, job: FileJob, block: Block) -> None:
        """Takes the next block of a file."""
        report = self._open.get(job.target)
        if report is None:
            report = self._open[job.target] = self._make()
        report.see(block)

    def end(self, job: FileJob) -> None:
        """Takes a file's end."""
        report = self._open.pop(job.target, None)
        warning = report and report.warning(str(job.source))
        if warning:
            with self._lock:
                self._warnings.append(warning)

    def warn(self) -> None:
        """Says what was noticed, once and not for each of a thousand files."""
        for warning in sorted(self._warnings)[:_MOST_WARNINGS]:
            note(warning)
        if len(self._warnings) > _MOST_WARNINGS:
            note(f"warning: the same of {len(self._warnings) - _MOST_WARNINGS} more files")
