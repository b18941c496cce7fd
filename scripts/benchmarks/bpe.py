"""Compares learning and applying BPE with other tools: one text, one run, in turns, medians.

Absolute seconds mean little across machines; ratios measured in the same run do. Learning and applying from file
to file are timed as whole processes, start-up included. Work on lines in memory is timed alone, after the model
and the lines were read. CPU seconds are those of all threads; peak memory is always that of the whole process.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Dict, List, NamedTuple, Optional

from records import header, version_of, write_record

from fairseq_subword_ext.textio.tables import MISSING, markdown_lines

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent

MEASURES = ("frq", "av", "dlg", "frq-weighted", "av-weighted", "dlg-weighted", "user")
# Peers that bpe_tools.py runs, with the packages that must be installed for them.
PACKAGES = {
    "gigabpe": "gigabpe",
    "SentencePiece": "sentencepiece",
    "ffbpe": "ffbpe",
    "gigatoken": "gigatoken",
    "rustbpe": "rustbpe",
    "tokenizers": "tokenizers",
    "YouTokenToMe": "youtokentome",
    "subword-nmt": "subword-nmt",
}
TOKENIZERS_1 = "tokenizers 1.0.0rc3"
# Too slow for a large text: they get its beginning, and are compared by speed.
PARTIAL = ("subword-nmt",)


class Run(NamedTuple):
    seconds: float
    cpu_seconds: float
    megabytes: float  # peak memory of the process
    text_megabytes: float


class Process(NamedTuple):
    run: Run
    output: str


def run(
    command: List[str],
    stdin: Optional[str] = None,
    stdout: Optional[str] = None,
    text_megabytes: float = 0,
) -> Optional[Process]:
    """Runs a command; None if it fails."""
    with ExitStack() as stack:
        output = stack.enter_context(tempfile.TemporaryFile("w+"))
        errors = stack.enter_context(tempfile.TemporaryFile("w+"))
        source = stack.enter_context(Path(stdin or os.devnull).open("rb"))
        target = stack.enter_context(Path(stdout).open("wb")) if stdout else output
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=source, stdout=target, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            print(f"{' '.join(command[:4])} ... failed: {errors.read()[-300:]}", file=sys.stderr)
            return None
        output.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return Process(Run(seconds, cpu, usage.ru_maxrss / 1024, text_megabytes), output.read())


class Benchmark:
    """The commands of every tool, for one text."""

    def __init__(self, text: Path, folder: Path, arguments: argparse.Namespace):
        self.folder, self.arguments = folder, arguments
        self.text = self.part = text
        self.megabytes = self.part_megabytes = text.stat().st_size / 1e6
        if self.megabytes > arguments.part_megabytes:
            self.part = folder / "part"
            self._write_part()
            self.part_megabytes = self.part.stat().st_size / 1e6
        # Distinct ones: the other tools' vocabulary sizes count them in. A process starts with the memory of the
        # one that starts it, so this one must stay small.
        characters = set()
        with text.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                characters.update(line)
        self.characters = len(characters)

    def _write_part(self) -> None:
        left = self.arguments.part_megabytes * 1e6
        with self.text.open("rb") as source, self.part.open("wb") as target:
            for line in source:
                target.write(line)
                left -= len(line)
                if left <= 0:
                    return

    def peers(self, *names: str) -> List[str]:
        """Those of the peers that are installed."""
        found = []
        for name in names:
            if name == "fastBPE":
                known = self.arguments.fastbpe.exists()
            elif name == TOKENIZERS_1:
                known = self.arguments.tokenizers_1.exists()
            else:
                known = version_of(PACKAGES[name]) is not None
            if known:
                found.append(name)
            else:
                print(f"{name} is not installed: its rows are missing", file=sys.stderr)
        return found

    def model(self, tool: str) -> str:
        name = {"ours, lines": "ours", "ours, ids": "ours, bytes", TOKENIZERS_1: "tokenizers"}
        return str(self.folder / (name.get(tool, tool).replace(", ", "-") + ".model"))

    def once(self, tool: str, job: str) -> Dict[str, Run]:
        """Runs a tool once; the rows that this gives."""
        partial = tool in PARTIAL
        text = str(self.part if partial else self.text)
        megabytes = self.part_megabytes if partial else self.megabytes
        row = f"{tool}, first {megabytes:.0f} MB" if partial and self.part != self.text else tool
        model, output = self.model(tool), str(self.folder / "output")
        merges, threads = str(self.arguments.merges), str(self.arguments.threads)
        base, _, what = tool.partition(", ")
        stdin = stdout = None
        if base == "ours" and job == "learn" and what != "user":
            flags = ["--unit", "byte"] if what == "bytes" else ["--measure", what or "frequency"]
            command = [str(BIN / "fairseq-subword"), "learn-bpe", "-i", text, "-o", model]
            command += ["-s", merges, "--num-workers", threads, *flags]
        elif base == "ours" and job == "apply":
            command = [str(BIN / "fairseq-subword"), "apply-bpe", "-c", model, "-i", text]
            command += ["-o", output, "--num-workers", threads]
        elif tool == "fastBPE":
            command = [str(self.arguments.fastbpe)]
            command += (
                ["learnbpe", merges, text] if job == "learn" else ["applybpe", output, text, model]
            )
            stdout = model if job == "learn" else None
        elif tool == "subword-nmt":
            command = [str(BIN / "subword-nmt")]
            command += ["learn-bpe", "-s", merges] if job == "learn" else ["apply-bpe", "-c", model]
            stdin, stdout = text, model if job == "learn" else output
        else:
            python = str(self.arguments.tokenizers_1) if tool == TOKENIZERS_1 else sys.executable
            command = [python, str(HERE / "bpe_tools.py"), tool, job, text, model, output]
            command += [merges, threads, str(self.characters)]
        done = run(command, stdin, stdout, megabytes)
        if done is None:
            return {}
        if job not in ("lines", "ids"):
            return {row: done.run}
        rows = {}
        for line in done.output.splitlines():
            which, seconds, cpu = line.split()
            timed = done.run._replace(seconds=float(seconds), cpu_seconds=float(cpu))
            rows[f"{row}, {which}"] = timed
        return rows

    def rounds(self, tools: List[str], job: str) -> Dict[str, List[Run]]:
        """All tools in turns, so that a busy moment of the machine hits all."""
        runs: Dict[str, List[Run]] = {}
        slow = set()
        for _ in range(self.arguments.rounds):
            for tool in tools:
                if tool in slow:
                    continue
                for row, done in self.once(tool, job).items():
                    runs.setdefault(row, []).append(done)
                    if done.cpu_seconds > self.arguments.slow_seconds:
                        slow.add(tool)
        return runs


TABLES: Dict[str, Dict[str, object]] = {}  # printed so far, for the record


def summary(runs: Dict[str, List[Run]], base: str, in_proportion: bool) -> List[Dict[str, object]]:
    """One row per tool, the fastest first: medians, and how many times the base's CPU time and memory it takes.

    If a tool got less text than the base, speeds are compared, but only where the time is in proportion to the
    text, which it is not for learning.
    """

    def medians(tool: str) -> Run:
        columns = list(zip(*runs[tool]))
        return Run(*map(median, columns[:2]), max(columns[2]), columns[3][0])

    ours = medians(base)
    rows = []
    for tool in runs:
        run = medians(tool)
        share = run.text_megabytes / ours.text_megabytes
        row = {"tool": tool, "runs": len(runs[tool]), **run._asdict()}
        if share == 1 or in_proportion:
            row["times_cpu"] = run.cpu_seconds / ours.cpu_seconds / share
        rows.append({**row, "times_memory": run.megabytes / ours.megabytes})
    return sorted(rows, key=lambda row: row["cpu_seconds"] / row["text_megabytes"])


def print_table(name: str, title: str, runs: Dict[str, List[Run]], base: str) -> None:
    """Prints a summary and keeps it, with all runs, for the record under the name."""
    rows = summary(runs, base, in_proportion=not name.startswith("learning"))
    record = {tool: [run._asdict() for run in done] for tool, done in runs.items()}
    TABLES[name] = {"title": title, "base": base, "rows": rows, "runs": record}
    table = [["tool", "runs", "seconds", "CPU s", "times ours (CPU)", "peak MB", "times ours"]]
    for row in rows:
        table.append([
            row["tool"], str(row["runs"]), f"{row['seconds']:.2f}", f"{row['cpu_seconds']:.2f}",
            f"{row['times_cpu']:.2f}" if "times_cpu" in row else MISSING,
            f"{row['megabytes']:.0f}", f"{row['times_memory']:.2f}",
        ])  # fmt: skip
    print("\n".join(["", title, "", *markdown_lines(table)]), flush=True)


def alphanumeric(text: Path, path: Path) -> None:
    """The same text with only letters and digits in words: there all tools count the same words."""
    with (
        text.open(encoding="utf-8", newline="\n") as lines,
        path.open("w", encoding="utf-8") as out,
    ):
        for line in lines:
            out.write("".join(c if c.isalnum() and c != "_" else " " for c in line[:-1]) + "\n")


def benchmark(text: Path, folder: Path, arguments: argparse.Namespace) -> None:
    plain = folder / f"words-of-{text.name}"
    alphanumeric(text, plain)
    bench = Benchmark(plain, folder, arguments)
    where = (
        f"{text.name} (words of letters and digits only), {bench.megabytes:.1f} MB, "
        f"{arguments.merges} merges, {arguments.threads} threads"
    )
    part = "" if len(arguments.texts) < 2 else f" {text.name}"
    learners = bench.peers(*PACKAGES, "fastBPE")
    runs = bench.rounds(["ours", "ours, bytes", *learners], "learn")
    print_table(f"learning{part}", f"Learning from {where}", runs, "ours")
    if arguments.measures:
        runs = bench.rounds(["ours", *(f"ours, {measure}" for measure in MEASURES)], "learn")
        title = f"Learning with each measure, from {where}"
        print_table(f"learning, measures{part}", title, runs, "ours")
    appliers = bench.peers("fastBPE", "SentencePiece", "subword-nmt")
    runs = bench.rounds(["ours", *appliers], "apply")
    print_table(f"files{part}", f"Applying, file to file, to {where}", runs, "ours")
    runs = bench.rounds(["ours, lines", *bench.peers(TOKENIZERS_1, "tokenizers")], "lines")
    title = f"Applying to a list of lines in memory, {where}"
    print_table(f"lines{part}", title, runs, "ours, lines, cold")
    runs = bench.rounds(["ours, ids", *bench.peers("gigatoken")], "ids")
    title = (
        f"Applying byte-level codes to lines, to ids (gigatoken splits words like GPT-2), {where}"
    )
    print_table(f"ids{part}", title, runs, "ours, ids, cold")
    plain.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="*", type=Path, help="UTF-8 text; without any, one is made")
    parser.add_argument("--merges", type=int, default=16_000)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--slow-seconds", type=float, default=10, help="a tool that needs more CPU time runs once (default: %(default)s)"
    )  # fmt: skip
    parser.add_argument(
        "--part-megabytes", type=float, default=30, help="how much of the text subword-nmt gets (default: %(default)s)"
    )  # fmt: skip
    parser.add_argument("--megabytes", type=float, default=33.0, help="size of a text that is made")
    parser.add_argument(
        "--measures", action="store_true", help="also compare our goodness measures"
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="write all runs there, as JSON")
    parser.add_argument("--fastbpe", type=Path, default=Path("build/fastBPE/fast"))
    parser.add_argument(
        "--tokenizers-1", type=Path, default=Path("build/bench-tokenizers-1/bin/python"), metavar="PYTHON",
        help=f"an interpreter that has {TOKENIZERS_1}",
    )  # fmt: skip
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = arguments.texts
        if not texts:
            texts = [folder / "made.txt"]
            make = [sys.executable, HERE / "bpe_text.py", texts[0]]
            subprocess.run([*make, "--megabytes", str(arguments.megabytes)], check=True)
        for text in texts:
            benchmark(text, folder, arguments)
            if arguments.record is not None:
                options = ("merges", "threads", "rounds", "slow_seconds", "part_megabytes")
                command = ["scripts/benchmarks/bpe.sh", *(text.name for text in arguments.texts)]
                for name in options:
                    command += [f"--{name.replace('_', '-')}", f"{getattr(arguments, name):g}"]
                found = header(" ".join(command), PACKAGES.values(), tables=TABLES)
                write_record(arguments.record, found)


if __name__ == "__main__":
    main()
