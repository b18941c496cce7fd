"""The progress of a training, read from the output of fairseq-train or fairseq-hydra-train."""

import re
import time
from collections import deque
from typing import Deque, Optional, Tuple

_UPDATE = re.compile(r"[|\[]\s?train_inner\b.*?\bnum_updates[=\": ]+(\d+)")
_EPOCH = re.compile(r"epoch (\d+):\s+(\d+) / (\d+)")
_VALIDATION = re.compile(r"valid on .*?\| loss ([\d.]+) .*\| num_updates (\d+)")
_CHECKPOINT = re.compile(r"\b(Saved|Loaded) checkpoint .* @ (\d+) updates")
_CUT_SHORT = "Stopping training due to cumulative_training_time"
INTERVAL = 10.0  # seconds between messages
WINDOW = 30  # number of log lines that the speed is averaged over


class Progress:
    """The progress of a running training.

    Args:
        updates: number of updates at which training ends; None if only epochs count.
        epochs: number of epochs at which it ends; None if only updates count.
        seconds: maximum running time; None for no limit.
        clock: a monotonic clock, in seconds.

    Attributes:
        kept: updates of the newest checkpoint.
        cut_short: whether the time limit ended the training.
    """

    def __init__(
        self,
        updates: Optional[int],
        epochs: Optional[int] = None,
        seconds: Optional[float] = None,
        clock=time.monotonic,
    ):
        self.updates, self.epochs, self.seconds, self.clock = updates, epochs, seconds, clock
        self.kept = 0
        self.cut_short = False
        self.started = clock()
        self._printed = -INTERVAL
        self._points: Deque[Tuple[float, int]] = deque(maxlen=WINDOW)

    def read(self, line: str) -> Optional[str]:
        """Processes one line of the log; returns a message for the user, if any."""
        if match := _CHECKPOINT.search(line):
            self.kept = int(match[2])
            resumed = match[1] == "Loaded" and self.kept
            return f"resuming from update {self.kept}" if resumed else None
        if match := _VALIDATION.search(line):
            return f"update {match[2]}{self._goal()}: validation loss {match[1]}"
        if match := _UPDATE.search(line):
            return self._update(line, int(match[1]))
        self.cut_short = self.cut_short or _CUT_SHORT in line
        return None

    def _update(self, line: str, done: int) -> Optional[str]:
        epoch = _EPOCH.search(line)
        if epoch and self.epochs is not None:
            # The last batch number is that of the whole epoch, so the end can be computed.
            end = (
                done + (self.epochs - int(epoch[1])) * int(epoch[3]) + int(epoch[3]) - int(epoch[2])
            )
            self.updates = min(end, self.updates or end)
        now = self.clock()
        self._points.append((now, done))
        if now - self._printed < INTERVAL and done != self.updates:
            return None
        self._printed = now
        return f"update {done}{self._goal()}{self.remaining()}"

    def _goal(self) -> str:
        return "" if self.updates is None else f" of {self.updates}"

    def remaining(self) -> str:
        """Speed and time left, once there are two points to compute them from, else empty."""
        (first, before), (now, done) = self._points[0], self._points[-1]
        if now <= first or done <= before:
            return ""
        speed = (done - before) / (now - first)
        left = None if self.updates is None else (self.updates - done) / speed
        until = ""
        if self.seconds is not None:
            limit = max(0.0, self.started + self.seconds - now)
            if left is None or limit < left:
                left, until = limit, " until --minutes"
        return f", {speed:.2g} per second" + (
            "" if left is None else f" ({duration(left)} left{until})"
        )


def duration(seconds: float) -> str:
    """Formats a number of seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
