"""Runs the steps of a plan, keeps what is finished, and says how far it is."""

import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Sequence

from recipes.engine.commands import Command, environment
from recipes.engine.progress import Progress, duration
from recipes.engine.steps import Records, Step, Training

LOGS = "logs"
TIME_LIMIT = "optimization.stop_time_hours"
_LAST_LINES = 40


class StepError(Exception):
    """A step failed; the message names its log."""


def remove(path: Path) -> None:
    """Removes a file or a folder, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def say(text: str) -> None:
    """Prints a line for the user that is not part of the output."""
    print(text, file=sys.stderr, flush=True)


class Runner:
    """Runs steps in a run's folder.

    Args:
        work: the run's folder.
        check: called with each step before it runs; raises ValueError if it should not.

    Attributes:
        unfinished: how far the running training is.
        cut_short: for each training that ``--minutes`` has stopped, its updates so far and its goal.
    """

    def __init__(self, work: Path, check: Callable[[Step], None] = lambda step: None):
        self.work = work
        self.check = check
        self.records = Records(work)
        self.cut_short: Dict[str, str] = {}
        self._process: Optional[subprocess.Popen] = None
        self.unfinished = ""

    def run(self, steps: Sequence[Step]) -> None:
        """Runs the steps that are not finished.

        Raises:
            StepError: If one fails.
            KeyboardInterrupt: After the running command has ended.
        """
        with _terminated_like_interrupted():
            for number, step in enumerate(steps, start=1):
                self._run_step(f"step {number} of {len(steps)}: {step.name}", step)

    def log_of(self, step: Step) -> Path:
        """Where a step's output goes."""
        return self.work / LOGS / f"{step.file_name}.log"

    def _run_step(self, head: str, step: Step) -> None:
        log = self.log_of(step)
        done = self.records.finished(step)
        if done:
            say(f"{head} (done before)")
        else:
            self.check(step)
            say(head)
            self._prepare(head, step, log)
            started = time.monotonic()
            whole = all(self._run_command(head, step, one, log) for one in step.commands)
            if whole:
                self.records.finish(step)
                if time.monotonic() - started > 60:
                    say(f"{head}: finished in {duration(time.monotonic() - started)}")
        if step.shown == "always" or (step.shown and not done):
            print(log.read_text(encoding="utf-8", errors="replace"), end="", flush=True)

    def _prepare(self, head: str, step: Step, log: Path) -> None:
        if step.training:
            if not self.records.continues(step):
                if step.training.folder.exists():
                    say(f"{head}: its data, settings or seed have changed: training starts over")
                shutil.rmtree(step.training.folder, ignore_errors=True)
        else:
            for path in step.outputs:
                remove(path)
        for path in step.folders:
            path.mkdir(parents=True, exist_ok=True)
        self.records.begin(step)
        log.parent.mkdir(parents=True, exist_ok=True)
        if not (step.training and log.exists()):
            log.write_text("", encoding="utf-8")

    def _run_command(self, head: str, step: Step, one: Command, log: Path) -> bool:
        """Runs one command; returns False for a training that the time limit has ended."""
        argv = one.executed()
        progress = None
        if step.training:
            argv = _with_time_limit(argv, step.training)
            minutes = step.training.minutes
            progress = Progress(
                step.training.updates,
                step.training.epochs,
                None if minutes is None else 60 * minutes,
            )
        unfinished = None
        if one.stdout:
            unfinished = one.stdout.with_name(f".{one.stdout.name}.unfinished")
        status = self._follow(argv, unfinished, log, self._reporter(head, progress))
        if status != 0:
            raise StepError(f"{head} failed{_reason(log)}; see {log}")
        if unfinished:
            unfinished.replace(one.stdout)
        self.unfinished = ""
        if progress and progress.cut_short:
            goal = f" of {progress.updates}" if progress.updates else ""
            self.cut_short[step.name] = f"{progress.kept}{goal} updates"
            return False
        return True

    def _reporter(self, head: str, progress: Optional[Progress]) -> Callable[[str], None]:
        def read(line: str) -> None:
            if progress is None:
                return
            message = progress.read(line)
            goal = f" of {progress.updates}" if progress.updates else ""
            self.unfinished = f"{progress.kept}{goal} updates"
            if message:
                say(f"{head}: {message}")

        return read

    def _follow(
        self, argv: List[str], stdout: Optional[Path], log: Path, read: Callable[[str], None]
    ) -> int:
        """Runs a command; all that it prints, except to ``stdout``, goes to the log.

        Returns:
            Its exit status.
        """
        output = stdout.open("wb") if stdout else subprocess.PIPE
        errors = subprocess.PIPE if stdout else subprocess.STDOUT
        with log.open("a", encoding="utf-8") as written:
            self._process = subprocess.Popen(argv, stdout=output, stderr=errors, env=environment())
            try:
                pipe = self._process.stderr if stdout else self._process.stdout
                for line in pipe:
                    text = line.decode("utf-8", "replace")
                    written.write(text)
                    written.flush()
                    read(text)
                return self._process.wait()
            except KeyboardInterrupt:
                self._stop()
                raise
            finally:
                if stdout:
                    output.close()

    def _stop(self) -> None:
        """Ends the running command, which Ctrl-C in a terminal has reached as well."""
        try:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM, as from a batch system, ends the running command too."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _with_time_limit(argv: Sequence[str], training: Training) -> List[str]:
    """Adds the time of earlier calls to the limit: Fairseq counts all of them, ``--minutes`` this one."""
    last = training.folder / "checkpoints" / "checkpoint_last.pt"
    if training.minutes is None or not last.exists():
        return list(argv)
    from fairseq_subword_ext.checkpoints.reading import read_checkpoint

    before = read_checkpoint(last)["extra_state"].get("previous_training_time", 0) / 3600
    return [
        f"{name}={float(value) + before}" if name == TIME_LIMIT else argument
        for argument in argv
        for name, _, value in [argument.partition("=")]
    ]


def _reason(log: Path) -> str:
    """The last line of a log that says what went wrong; empty if none does."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LAST_LINES:]
    found = [
        line.strip() for line in lines if "error" in line.lower() and "HYDRA_FULL_ERROR" not in line
    ]
    return f" ({found[-1]})" if found else ""
