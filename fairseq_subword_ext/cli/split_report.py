"""Detects text that breaks apart into characters, a sign of codes for another language or script."""

import threading
from pathlib import Path
from typing import Callable, Dict, List, Optional, Union

from fairseq_subword_ext.cli.common import log
from fairseq_subword_ext.subword.escaping import unescape
from fairseq_subword_ext.textio.block_stream import Block
from fairseq_subword_ext.textio.many_files import FileJob

# Bytes of the output that are examined.
_BYTES = 1 << 14
_FEWEST_WORDS = 10

_MOST_WARNINGS = 3


class SplitReport:
    """Examines the beginning of segmented text.

    Args:
        separator: the separator of the segmented text; None to skip the check.
    """

    def __init__(self, separator: Optional[str]):
        self._separator = separator
        self._sample: List[bytes] = []
        self._bytes = 0

    def see(self, block: Union[bytes, memoryview]) -> None:
        """Samples a block of whole lines."""
        if self._separator is not None and self._bytes < _BYTES:
            self._sample.append(bytes(memoryview(block)[: _BYTES - self._bytes]))
            self._bytes += len(self._sample[-1])

    def warning(self, name: str = "") -> Optional[str]:
        """The warning if more than half of the words are split into single characters; None otherwise."""
        if self._separator is None:
            return None
        split = words = 0
        text = b"".join(self._sample).decode("utf-8", "ignore")
        for line in text.split("\n")[: -1 if self._bytes >= _BYTES else None]:
            for pieces in split_words(line, self._separator):
                if len(pieces) > 1 or len(pieces[0]) > 1:
                    words += 1
                    split += max(map(len, pieces)) == 1
        if words < _FEWEST_WORDS or 2 * split <= words:
            return None
        return (
            f"warning: {name and name + ': '}{100 * split // words} % of the first {words} words are "
            "split into single characters: are these the codes, or the vocabulary, of this language?"
        )


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
        """Logs the first few warnings and the number of the rest."""
        for warning in sorted(self._warnings)[:_MOST_WARNINGS]:
            log(warning)
        if len(self._warnings) > _MOST_WARNINGS:
            log(f"warning: the same for {len(self._warnings) - _MOST_WARNINGS} more files")


def split_words(line: str, separator: str) -> List[List[str]]:
    """The words of a segmented line, each as a list of raw pieces."""
    # No line contains a newline, so it can mark where pieces join.
    words = unescape((line.strip("\r ") + " ").replace(separator + " ", "\n")).split(" ")
    return [word.split("\n") for word in words if word]
