"""What all tests share: running commands as a user does."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# A machine with other work to do may stop any example for a while: no test is about time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "fairseq_subword_ext"


OPTIONAL = ("fairseq", "torch")


class SkippedWithoutFairseq(pytest.Module):
    """A test module that is skipped, fixtures of helpers included, where fairseq or torch is missing."""

    def collect(self):
        try:
            return super().collect()
        except Exception as error:  # pytest wraps failed imports of plugins
            cause = error
            while cause is not None and not isinstance(cause, ModuleNotFoundError):
                cause = cause.__cause__
            if cause is None or (cause.name or "").partition(".")[0] not in OPTIONAL:
                raise
            pytest.skip(f"needs {cause.name}", allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    return SkippedWithoutFairseq.from_parent(parent, path=module_path)


def run_command(*arguments, cwd=None, input=None, check=True, env=None, timeout=300):
    """Runs one command and gives its CompletedProcess, text decoded as UTF-8.

    Fails with the command's output where the status is not 0, unless ``check`` is off.
    """
    process = subprocess.run(
        [str(argument) for argument in arguments],
        cwd=cwd,
        input=input,
        env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})},
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=timeout,
        check=False,
    )
    if check and process.returncode != 0:
        pytest.fail(
            f"{' '.join(map(str, arguments))}\nexit {process.returncode}\n"
            f"stdout: {process.stdout[-3000:]}\nstderr: {process.stderr[-5000:]}"
        )
    return process


def heed_interrupts():
    """For Popen's ``preexec_fn``: a shell starts background jobs with Ctrl-C ignored, and so would
    every process that such a test run starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="session")
def subword():
    """Runs ``fairseq-subword ...``."""

    def run(*arguments, **options):
        return run_command(sys.executable, "-m", "fairseq_subword_ext", *arguments, **options)

    return run


@pytest.fixture(scope="session")
def fairseq():
    """Runs one of Fairseq's commands in a process of its own: ``fairseq("train", ...)`` is
    ``fairseq-train ...``."""
    pytest.importorskip("fairseq")

    def run(command, *arguments, **options):
        return run_command(sys.executable, "-m", f"fairseq_cli.{command}", *arguments, **options)

    return run


@pytest.fixture(scope="session")
def fairseq_command():
    """Runs one of Fairseq's commands in this process, which saves seconds of start-up."""
    pytest.importorskip("fairseq")
    from task_helpers import run_fairseq

    return run_fairseq
