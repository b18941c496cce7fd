"""What apply-bpe does to text, whatever it reads and writes."""

import argparse
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional

from fairseq_subword_ext.cli.common import note
from fairseq_subword_ext.cli.split_report import SplitReport
from fairseq_subword_ext.subword.block_stream import Block, BlockCoder
from fairseq_subword_ext.subword.many_files import FileJob

_MOST_WARNINGS = 3


@dataclass(frozen=True)
class Segmentation:
    """One way to segment, as the flags ask for it.

    Attributes:
        coder: what segments a text of this name, with this seed.
        signature: the line that is quoted with results.
        report: makes what looks for text that falls to pieces.
    """

    coder: Callable[[str, Optional[int]], BlockCoder]
    signature: str
    report: Callable[[], SplitReport]


class FileReports:
    """A report for each of many files, of which several are in work at once."""

    def __init__(self, segmentation: Segmentation):
        self._make = segmentation.report
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


def drawn_seed(args: argparse.Namespace) -> Optional[int]:
    """The seed of --seed; where dropout has none, one is drawn and said."""
    if args.dropout and args.seed is None:
        seed = int.from_bytes(os.urandom(4), "little")
        note(f"dropout: --seed {seed} gives this segmentation again")
        return seed
    return args.seed
