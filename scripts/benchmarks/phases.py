"""Runs the phases of a long call, each with its own time limit, and writes a record after each."""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, Optional

from records import write_record

ROOT = Path(__file__).resolve().parents[2]
LEAST = 20  # a phase is skipped if fewer seconds than this are left


class PhaseError(Exception):
    """A phase did not finish; the message says why."""


class Run:
    """One call: its options, its deadline and its record.

    Args:
        args: ``seconds`` for all phases, ``out`` for the record and the logs, ``cpu``; the rest is for
            the phases.
        about: first entries of the record.
    """

    def __init__(self, args: argparse.Namespace, **about: Any):
        self.args = args
        self.deadline = time.monotonic() + args.seconds
        self.device = "cpu" if args.cpu else "cuda"
        self.out: Path = args.out
        self.reserve = 0.0  # seconds that the running phase must leave for later ones
        self.record: Dict[str, Any] = {**about, "phases": {}}

    def left(self) -> float:
        return self.deadline - time.monotonic()

    def phase(self, name: str, work: Callable[["Run"], Dict[str, Any]], reserve: float = 0) -> None:
        """Runs one phase and writes the record; its failure never stops the others."""
        start, self.reserve = time.monotonic(), reserve
        print(f"== {name} ({self.left():.0f} s left)", file=sys.stderr, flush=True)
        try:
            if self.left() - reserve < LEAST:
                raise PhaseError("skipped: no time left")
            result = {"status": "ok", **work(self)}
        except PhaseError as error:
            result = {"status": "failed", "reason": str(error)}
        except Exception as error:  # a device or its driver may raise anything
            result = {"status": "failed", "reason": f"{type(error).__name__}: {error}"}
        result["seconds"] = round(time.monotonic() - start, 1)
        self.record["phases"][name] = result
        print(f"   {result['status']} {result.get('reason', '')}", file=sys.stderr, flush=True)
        write_record(self.out / "gpu.json", self.record)

    def command(self, log: str, *arguments: Any, limit: Optional[float] = None, **env: str) -> Path:
        """Runs a program with its output in a log.

        Raises:
            PhaseError: If it fails, or exceeds ``limit`` seconds or the phase's time.
        """
        path = self.out / log
        limit = max(1.0, min(limit or self.left(), self.left() - self.reserve))
        with path.open("wb") as stream:
            process = subprocess.Popen(
                [str(argument) for argument in arguments], stdout=stream, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, env={**os.environ, **env}, cwd=ROOT, start_new_session=True,
            )  # fmt: skip
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired as error:
                stop(process)
                raise PhaseError(f"not finished after {limit:.0f} s, see {log}") from error
        if process.returncode:
            lines = path.read_text(encoding="utf-8", errors="replace").strip().split("\n")
            raise PhaseError(f"exit status {process.returncode}, see {log}: {lines[-1][:300]}")
        return path


def stop(process: subprocess.Popen) -> None:
    """Stops a program and its children, after giving them a moment to save their work."""
    for number, patience in ((signal.SIGINT, 10), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
