"""Runs ``python -m MODULE ...`` in a process forked from one that has imported torch and Fairseq already.

Importing them takes longer than what a recipe's step does with made text.
"""

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from multiprocessing import reduction

_PRELOADED = (
    "fairseq_cli.hydra_train", "fairseq_cli.generate", "fairseq_cli.validate", "fairseq_cli.preprocess",
    "sacrebleu", "pytest",
)  # fmt: skip
_POPEN = subprocess.Popen  # tests put the class below in its place
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(list(_PRELOADED))


class _Descriptor:
    """A file descriptor that goes with the arguments of a process."""

    def __init__(self, number):
        self.number = number

    def __reduce__(self):
        return _received, (reduction.DupFd(self.number),)


def _received(duplicate):
    return duplicate.detach()


def _run(module, arguments, output, errors, environment):
    os.dup2(output, 1)
    os.dup2(errors, 2)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [part for part in environment.get("PYTHONPATH", "").split(os.pathsep) if part]
    sys.argv = [module, *arguments]
    # The old streams know whether their old files could seek.
    sys.stdout = os.fdopen(1, "w", 1, encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


class Popen:
    """What the recipes' runner uses of :class:`subprocess.Popen`."""

    begun = False  # before Fairseq is needed, other modules start faster alone

    def __new__(cls, argv, **options):
        if list(argv[:2]) == [sys.executable, "-m"]:
            cls.begun = cls.begun or argv[2].startswith("fairseq_cli.")
            if cls.begun:
                return super().__new__(cls)
        return _POPEN(argv, **options)

    def __init__(self, argv, stdout, stderr, env):
        self.stdout, output = self._pipe(stdout)
        self.stderr, errors = (None, output) if stderr == subprocess.STDOUT else self._pipe(stderr)
        arguments = (argv[2], argv[3:], _Descriptor(output), _Descriptor(errors), dict(env))
        self._process = _CONTEXT.Process(target=_run, args=arguments)
        self._process.start()
        for stream, number in ((self.stdout, output), (self.stderr, errors)):
            if stream:
                os.close(number)

    @staticmethod
    def _pipe(target):
        if target != subprocess.PIPE:
            return None, target.fileno()
        reader, writer = os.pipe()
        return os.fdopen(reader, "rb"), writer

    def wait(self, timeout=None):
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("python", timeout)
        return self._process.exitcode

    def send_signal(self, number):
        os.kill(self._process.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)
