"""Finds, among many files, those whose text breaks apart into single characters."""

import threading
from pathlib import Path
from typing import Callable, Dict, List

from fairseq_subword_ext.cli.common import log
from fairseq_subword_ext.cli.split_report import SplitReport
from fairseq_subword_ext.textio.block_stream import Block
from fairseq_subword_ext.textio.many_files import FileJob

_MOST_WARNINGS = 3


class FileReports:
    """One report per file, for many files, several of them in progress at once.

    Args:
        make: creates a report.
    """

    def __init__(self, make: Callable[[], SplitReport]):
        self._make = make
        self._lock = threading.Lock()
        self._open: Dict[Path, SplitReport] = {}
        self._warnings: List[str] = []

    def see(self, job: FileJob, block: Block) -> None:
        """Passes the next block of a file to its report."""
        report = self._open.get(job.target)
        if report is None:
            report = self._open[job.target] = self._make()
        report.see(block)

    def end(self, job: FileJob) -> None:
        """Closes the report of a file."""
        report = self._open.pop(job.target, None)
        warning = report and report.warning(str(job.source))
        if warning:
            with self._lock:
                self._warnings.append(warning)

    def warn(self) -> None:
        """Logs the first few warnings and the number of the others."""
        for warning in sorted(self._warnings)[:_MOST_WARNINGS]:
            log(warning)
        if len(self._warnings) > _MOST_WARNINGS:
            log(f"warning: the same for {len(self._warnings) - _MOST_WARNINGS} more files")
