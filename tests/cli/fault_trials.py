"""Runs one command many times with one fault each, and prints what is left, as JSON.

    python fault_trials.py '{"arguments": [...], "outputs": [...], "faults": {"killed": [20], ...}}'

A script of its own, since it forks: each trial is a child of a process in which everything is
imported already, so that faults happen during the work and not during start-up.
"""

import json
import os
import random
import resource
import signal
import sys
import time
import traceback
from pathlib import Path

from fairseq_subword_ext.cli import main as cli

OLD = b"old content, which is whole\n"
# fsync comes first, then os.replace makes the new file visible: faults would show at these moments.
MOMENTS = [f"{when} {call} {count}" for call in ("fsync", "replace") for when in ("before", "after")
           for count in (1, 2)]  # fmt: skip


def die_at(moment: str) -> None:
    """Kills this process right before or after the n-th call of a function."""
    when, name, count = moment.split()
    original = getattr(os, name)
    calls = 0

    def call(*arguments, **options):
        nonlocal calls
        calls += 1
        if calls == int(count) and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        original(*arguments, **options)
        if calls == int(count):
            os.kill(os.getpid(), signal.SIGKILL)

    setattr(os, name, call)


def start(arguments, prepare=lambda: None) -> int:
    """Runs a command in a child; returns its process id."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            with open("said", "w") as said:  # noqa: PTH123
                os.dup2(said.fileno(), 2)
                prepare()
                status = cli.main(arguments)
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        os._exit(status)
    return child


def status_of(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def everything() -> set:
    """All files here and below, including hidden ones."""
    return set(Path().rglob("*"))


class Trials:
    def __init__(self, spec: dict):
        self.arguments = spec["arguments"]
        self.outputs = [Path(name) for name in spec["outputs"]]
        self.listing = set()
        self.new = {}

    def run_undisturbed(self) -> None:
        """Records the expected outputs and the running time."""
        # In this process, so that its children inherit the imports of the command.
        assert cli.main(self.arguments) == 0
        started = time.monotonic()
        assert status_of(start(self.arguments)) == 0
        self.taken = time.monotonic() - started
        self.new = {path: path.read_bytes() for path in self.outputs}
        self.listing = everything()

    def make_old(self) -> None:
        for path in self.outputs:
            path.write_bytes(OLD)

    def look(self) -> dict:
        """How many outputs are old, new and neither, and the other files beside them."""
        found = [path.read_bytes() if path.is_file() else None for path in self.outputs]
        old = sum(content == OLD for content in found)
        new = sum(content == self.new[path] for path, content in zip(self.outputs, found))
        beside = sorted(map(str, everything() - self.listing))
        for name in beside:
            Path(name).unlink()
        said = Path("said").read_text().splitlines()
        return {"old": old, "new": new, "neither": len(found) - old - new, "beside": beside,
                "said": said}  # fmt: skip

    def killed(self, number: int) -> list:
        """Kills the command at random moments, and at those where a fault would show."""
        generator = random.Random(1)
        results = []
        for moment in [None] * number + MOMENTS:
            self.make_old()
            if moment is None:
                child = start(self.arguments)
                time.sleep(generator.uniform(0, self.taken))
                os.kill(child, signal.SIGKILL)
            else:
                child = start(self.arguments, lambda moment=moment: die_at(moment))
            status = status_of(child)
            results.append({"moment": moment, "status": status, **self.look()})
        return results

    def resumed(self, number: int) -> list:
        """Kills the command and runs it again with --resume, which must also clean up."""
        generator = random.Random(3)
        results = []
        for _ in range(number):
            self.make_old()
            child = start(self.arguments)
            time.sleep(generator.uniform(0, self.taken))
            os.kill(child, signal.SIGKILL)
            killed = status_of(child)
            left = len(everything() - self.listing)
            status = status_of(start([*self.arguments, "--resume"]))
            results.append({"killed": killed, "left": left, "status": status, **self.look()})
        return results

    def without_room(self) -> list:
        """Limits the size of files; a full disk gives the same error a little later."""
        results = []
        # Each output in turn is the one that does not fit.
        for size in sorted({len(content) for content in self.new.values()}):
            for limit in {1, size // 2, size - 1}:
                self.make_old()

                def prepare(limit=limit):
                    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                    said = os.open(os.devnull, os.O_WRONLY)  # messages mostly go to a pipe
                    os.dup2(said, 2) if limit < 1000 else None

                status = status_of(start(self.arguments, prepare))
                results.append({"limit": limit, "status": status, **self.look()})
        return results

    def shrinking(self, number: int, name: str) -> list:
        """Truncates an input while it is read."""
        generator = random.Random(2)
        content = Path(name).read_bytes()
        results = []
        for _ in range(number):
            Path(name).write_bytes(content)
            self.make_old()
            child = start(self.arguments)
            time.sleep(generator.uniform(0, self.taken))
            os.truncate(name, generator.randrange(len(content)))
            results.append({"status": status_of(child), **self.look()})
        Path(name).write_bytes(content)
        return results

    def together(self, number: int, others: dict) -> list:
        """Two processes with different texts write the same files."""
        other_arguments = [others.get(argument, argument) for argument in self.arguments]
        assert status_of(start(other_arguments)) == 0, Path("said").read_text()
        by_other = {path: path.read_bytes() for path in self.outputs}
        results = []
        for _ in range(number):
            children = [start(self.arguments), start(other_arguments)]
            statuses = [status_of(child) for child in children]
            whole = all(
                path.read_bytes() in (self.new[path], by_other[path]) for path in self.outputs
            )
            beside = sorted(map(str, everything() - self.listing))
            results.append({"statuses": statuses, "whole": whole, "beside": beside})
        return results

    def refused(self, changes: dict) -> dict:
        """Gives inputs that cannot be read and outputs that cannot be written."""
        results = {}
        for argument, others in changes.items():
            for other in others:
                self.make_old()
                arguments = [other if word == argument else word for word in self.arguments]
                results[other] = {"status": status_of(start(arguments)), **self.look()}
        return results


if __name__ == "__main__":
    spec = json.loads(sys.argv[1])
    trials = Trials(spec)
    trials.run_undisturbed()
    found = {fault: getattr(trials, fault)(*given) for fault, given in spec["faults"].items()}
    print(json.dumps(found))
