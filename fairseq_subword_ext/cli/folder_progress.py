"""Progress over many files: a bar on a terminal, otherwise one line per minute."""

import sys
import time
from typing import Optional, Type

from fairseq_subword_ext.cli.common import log, progress_bar
from fairseq_subword_ext.textio.many_files import Progress

_MEGABYTE = 1_000_000
_MINUTE = 60.0


class ProgressReport:
    """Reports progress on standard error; use as a context manager.

    Args:
        done: what happens to the files, such as ``segmented``.
        files: the number of files.
        size: their total size in bytes.
        interval: seconds between lines if standard error is not a terminal.
    """

    def __init__(self, done: str, files: int, size: int, interval: float = _MINUTE):
        self.progress = Progress()
        self._done = done
        self._files = files
        self._size = size
        self._interval = interval
        self._started = self._reported = time.monotonic()
        self._bar = progress_bar(done, size, unit="B", unit_scale=True)
        self._is_shown = sys.stderr.isatty()

    def __enter__(self) -> "ProgressReport":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *exception: object) -> None:
        self._bar.close()
        done = self.progress
        if kind is not None:
            log(f"{done.files} of {self._files} files were done; continue with --resume")
        elif done.files:
            log(
                f"{self._done} {done.files} files, {done.lines} lines, {done.bytes / _MEGABYTE:.1f} MB "
                f"in {self._elapsed():.1f} s: {self._rate():.0f} lines/s"
            )

    def tick(self) -> None:
        """Updates the report; call it regularly."""
        done = self.progress
        self._bar.set_postfix_str(
            f"{done.files} of {self._files} files, {self._rate():.0f} lines/s", refresh=False
        )
        self._bar.update(done.bytes - self._bar.n)
        if time.monotonic() - self._reported >= self._interval and not self._is_shown:
            self._reported = time.monotonic()
            log(self.line())

    def line(self) -> str:
        """The work done, the speed and the time left, in one line."""
        done = self.progress
        share = done.bytes / self._size if self._size else 1.0
        left = self._elapsed() * (1 - share) / share if share else float("inf")
        return (
            f"{done.files} of {self._files} files, {100 * share:.1f} % of {self._size / _MEGABYTE:.1f} MB "
            f"read, {self._rate():.0f} lines/s, {_duration(left)} left"
        )

    def _elapsed(self) -> float:
        return max(time.monotonic() - self._started, 1e-9)

    def _rate(self) -> float:
        return self.progress.lines / self._elapsed()


def _duration(seconds: float) -> str:
    if seconds == float("inf"):
        return "unknown time"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
