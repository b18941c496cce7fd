"""Runs the shell and Python blocks of one page in a folder."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

# Programs whose command lines are recorded instead of run, in a block that is only parsed.
PROGRAMS = (
    "fairseq-subword", "fairseq-train", "fairseq-generate", "fairseq-interactive", "fairseq-preprocess",
    "fairseq-hydra-train", "pip", "bash", "python", "sbatch",
)  # fmt: skip

# Seconds that one block may take.
_LONGEST = 1500

_RECORDER = """#!/bin/bash
[ "$1" != user-dir ] || echo {user_dir}
{{ printf '%s\\0' "${{0##*/}}" "$@"; printf '\\0'; }} >> {log}
[ -t 0 ] || cat > /dev/null
"""

# Reads one JSON string of code per line, runs it, and answers with the traceback, or null.
_INTERPRETER = """
import json, sys, traceback
answers, sys.stdout = sys.stdout, sys.stderr
sys.path.insert(0, "")
space = {"__name__": "page"}
for line in sys.stdin:
    try:
        exec(compile(json.loads(line), "the page", "exec"), space)
        answer = None
    except BaseException:
        answer = traceback.format_exc()
    print(json.dumps(answer), file=answers, flush=True)
"""


class Shell:
    """Bash in a folder; variables last from one call to the next.

    Args:
        folder: where the commands run.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.state = folder / ".state"
        programs = [ROOT / "tests" / "docs" / "programs", Path(sys.executable).parent]
        self.path = os.pathsep.join([*map(str, programs), os.environ["PATH"]])

    def run(self, script: str, options: str = "o pipefail") -> tuple:
        """Runs a script and returns its standard output and its standard error.

        Args:
            script: what to run.
            options: of the shell, after ``-eu``; none for commands such as ``... | head``.

        Raises:
            AssertionError: If it fails.
        """
        process = self._bash(f"set -eu{options}\n{script}", self.path)
        assert process.returncode == 0, (
            f"$ {script}\nexit {process.returncode}:\n{process.stdout[-2000:]}{process.stderr[-2000:]}"
        )
        return process.stdout, process.stderr

    def commands_of(self, script: str) -> list:
        """The command lines that a script would run, in its order, after the shell has expanded them."""
        from fairseq_subword_ext._user_dir import PACKAGE

        log = self.folder / ".commands"
        recorders = self.folder / ".recorders"
        recorders.mkdir(exist_ok=True)
        log.write_bytes(b"")
        for program in PROGRAMS:
            (recorders / program).write_text(
                _RECORDER.format(
                    user_dir=shlex.quote(str(ROOT / PACKAGE)), log=shlex.quote(str(log))
                )
            )
            (recorders / program).chmod(0o755)
        # Inputs need not exist, and what other programs say about that does not matter.
        inputs = "".join(
            f"[ -e {word} ] || touch {word}\n"
            for before, word in zip(script.split(), script.split()[1:])
            if before == "<"
        )
        process = self._bash(f"{inputs}{script}", f"{recorders}{os.pathsep}{self.path}")
        commands = [
            call.split("\0") for call in log.read_text(encoding="utf-8").split("\0\0") if call
        ]
        assert commands, f"no known program in:\n{script}\n{process.stderr}"
        return commands

    def write(self, name: str, text: str) -> None:
        """Writes one of the page's files."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _bash(self, script: str, path: str):
        state = shlex.quote(str(self.state))
        save = f"export -p | grep -v 'declare -[-a-z]*r' > {state}"
        process = subprocess.Popen(
            [
                "/bin/bash",
                "-c",
                f"set -a\n[ ! -e {state} ] || . {state}\nPATH={shlex.quote(path)}\n"
                f"trap {shlex.quote(save)} EXIT\n{script}",
            ],
            cwd=self.folder,
            env={**os.environ, "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8", "ROOT": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=_LONGEST)
        except BaseException:  # pytest's own time limit, too
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        return subprocess.CompletedProcess(script, process.returncode, output, errors)


class PythonProcess:
    """One Python interpreter for all Python blocks of a page; it starts with the first block.

    Args:
        folder: where it runs.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.process = None

    def run(self, code: str) -> None:
        """Runs one block.

        Raises:
            AssertionError: If it raises an error.
        """
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _INTERPRETER],
                cwd=self.folder,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
        self.process.stdin.write(json.dumps(code) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"the interpreter died in\n{code}"
        error = json.loads(answer)
        assert error is None, f"{code}\n{error}"

    def close(self) -> None:
        """Ends the interpreter."""
        if self.process is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait(timeout=60)
