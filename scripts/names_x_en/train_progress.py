#!/usr/bin/env python3
"""Follows the output of fairseq-train: saves all of it to a log, and prints progress and the time left.

    fairseq-train ... --log-format simple 2>&1 | train_progress.py --updates 1600 --log LOG --kept FILE

FILE always has the number of updates of the newest checkpoint, where training would resume.
"""

import argparse
import re
import signal
import sys
import time
from collections import deque
from pathlib import Path
from typing import Deque, Optional, Tuple

UPDATE = re.compile(r"\| train_inner \|.*\bnum_updates=(\d+)")
VALIDATION = re.compile(r"\| valid on .*?\| loss ([\d.]+) .*\| num_updates (\d+)")
CHECKPOINT = re.compile(r"\b(Saved|Loaded) checkpoint .* @ (\d+) updates")
INTERVAL = 10.0  # seconds between progress lines
WINDOW = 30  # number of fairseq-train's lines that the speed is averaged over


class Progress:
    """The progress of a running training.

    Args:
        updates: target number of updates.
        seconds: maximum running time; None for no limit.
        clock: a monotonic clock, in seconds.
    """

    def __init__(self, updates: int, seconds: Optional[float] = None, clock=time.monotonic):
        self.updates, self.seconds, self.clock = updates, seconds, clock
        self.kept = 0
        self.started = clock()
        self._printed = -INTERVAL
        self._points: Deque[Tuple[float, int]] = deque(maxlen=WINDOW)

    def read(self, line: str) -> Optional[str]:
        """Processes one line of fairseq-train; returns a message for the user, if any."""
        if match := CHECKPOINT.search(line):
            self.kept = int(match[2])
            return (
                f"resuming from update {self.kept}" if match[1] == "Loaded" and self.kept else None
            )
        if match := VALIDATION.search(line):
            return f"update {match[2]} of {self.updates}: validation loss {match[1]}"
        if match := UPDATE.search(line):
            now, done = self.clock(), int(match[1])
            self._points.append((now, done))
            if now - self._printed >= INTERVAL or done == self.updates:
                self._printed = now
                return f"update {done} of {self.updates}{self.remaining()}"
        return None

    def remaining(self) -> str:
        """Speed and time left, once there are two points to compute them from, else empty."""
        (first, before), (now, done) = self._points[0], self._points[-1]
        if now <= first or done <= before:
            return ""
        speed = (done - before) / (now - first)
        left, until = (self.updates - done) / speed, ""
        if self.seconds is not None and self.started + self.seconds - now < left:
            left, until = max(0.0, self.started + self.seconds - now), " until --minutes"
        return f", {speed:.2g} per second, {duration(left)} left{until}"


def duration(seconds: float) -> str:
    """Formats a number of seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--updates", type=int, required=True)
    parser.add_argument("--seconds", type=float, help="maximum time of this run")
    parser.add_argument("--log", type=Path, required=True, help="file to append all lines to")
    parser.add_argument("--kept", type=Path, required=True)
    args = parser.parse_args()
    # Ctrl-C reaches all processes of a pipeline; this one must wait until training has ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    progress = Progress(args.updates, args.seconds)
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    with args.log.open("a", encoding="utf-8") as log:
        for line in sys.stdin:
            log.write(line)
            log.flush()
            message = progress.read(line)
            if message:
                print(message, file=sys.stderr, flush=True)
            if CHECKPOINT.search(line):
                args.kept.write_text(f"{progress.kept}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
