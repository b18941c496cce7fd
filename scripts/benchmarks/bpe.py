"""Compares learning and applying BPE with other tools: one text, one run, in turns; one table.

Absolute seconds mean nothing across machines; the ratio to ours, measured in the same run, does. Learning is
timed as a whole process, start-up included; the seconds of applying are those of the work, without start-up. CPU
seconds (of all threads) and peak memory are always those of the whole process.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Dict, List, NamedTuple, Optional

from fairseq_subword_ext.textio.tables import markdown_lines

HERE = Path(__file__).parent

MEASURES = ("frq", "av", "dlg", "frq-weighted", "av-weighted", "dlg-weighted", "user", "bytes")
MODULES = {
    "Hugging Face tokenizers": "tokenizers",
    "SentencePiece": "sentencepiece",
    "YouTokenToMe": "youtokentome",
    "gigabpe": "gigabpe",
    "gigatoken": "gigatoken",
    "rustbpe": "rustbpe",
    "ffbpe": "ffbpe",
    "subword-nmt": "subword_nmt",
}


# They pre-tokenize in their own ways, and count the same words only where all are letters and digits.
PLAIN_WORDS_ONLY = ("gigabpe", "gigatoken", "rustbpe", "ffbpe")


class Run(NamedTuple):
    seconds: float
    cpu_seconds: float
    megabytes: float


def run(
    command: List[str], timed_inside: bool, stdin: Optional[str], stdout: Optional[str]
) -> Optional[Run]:
    """Runs a command; None where it fails."""
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
        if timed_inside:
            output.seek(0)
            seconds = float(output.read().split()[-1])
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


class Benchmark:
    """The commands of every tool, for one text."""

    def __init__(self, text: Path, folder: Path, merges: int, threads: int, fastbpe: Path):
        self.text, self.folder, self.merges, self.threads = str(text), folder, merges, threads
        self.fastbpe = fastbpe
        # Distinct ones: the other tools' vocabulary sizes count them in.
        with text.open(encoding="utf-8", newline="\n") as lines:
            self.characters = len(set().union(*lines))

    def tools(self, job: str) -> List[str]:
        names = [name for name, module in MODULES.items() if importlib.util.find_spec(module)]
        if self.fastbpe.exists():
            names.append("fastBPE")
        if job == "apply":
            names = [name for name in names if name not in PLAIN_WORDS_ONLY]
        return names

    def model(self, tool: str) -> str:
        return str(self.folder / (tool.replace(" ", "_").replace(":", "_") + ".model"))

    def once(self, tool: str, job: str) -> Optional[Run]:
        model, output = self.model(tool), str(self.folder / "output")
        threads = str(self.threads)
        if tool == "ours:lines" or (tool.startswith("ours") and job == "apply"):
            model = self.model("ours")
        if tool.partition(":")[0] == "ours" and job == "learn" and tool != "ours:user":
            what = tool.partition(":")[2]
            flags = ["--unit", "byte"] if what == "bytes" else ["--measure", what or "frequency"]
            command = [sys.executable, "-m", "fairseq_subword_ext", "learn-bpe", "-i", self.text]
            command += ["-o", model, "-s", str(self.merges), "--num-workers", threads, *flags]
            return run(command, False, None, None)
        if tool == "fastBPE":
            if job == "learn":
                return run(
                    [str(self.fastbpe), "learnbpe", str(self.merges), self.text], False, None, model
                )
            return run([str(self.fastbpe), "applybpe", output, self.text, model], False, None, None)
        if tool == "subword-nmt":
            command = [str(Path(sys.executable).with_name("subword-nmt"))]
            if job == "learn":
                return run([*command, "learn-bpe", "-s", str(self.merges)], False, self.text, model)
            return run([*command, "apply-bpe", "-c", model], False, self.text, output)
        command = [sys.executable, str(HERE / "bpe_tools.py"), tool, job, self.text, model, output]
        command += [str(self.merges), threads, str(self.characters)]
        return run(command, job == "apply", None, None)

    def rounds(
        self, tools: List[str], job: str, rounds: int, slow_rounds: int
    ) -> Dict[str, List[Run]]:
        """All tools in turns, so that a busy moment of the machine hits all."""
        runs: Dict[str, List[Run]] = {tool: [] for tool in tools}
        for number in range(rounds):
            for tool in tools:
                if tool == "subword-nmt" and number >= slow_rounds:
                    continue
                done = self.once(tool, job)
                if done is not None:
                    runs[tool].append(done)
        return {tool: done for tool, done in runs.items() if done}


TABLES: List[Dict[str, object]] = []  # printed so far, for the record


def print_table(title: str, runs: Dict[str, List[Run]], base: str = "ours") -> None:
    record = {tool: [run._asdict() for run in done] for tool, done in runs.items()}
    TABLES.append({"title": title, "base": base, "runs": record})
    rows = {}
    for tool, done in runs.items():
        columns = list(zip(*done))
        rows[tool] = (median(columns[0]), median(columns[1]), max(columns[2]))
    table = [["tool", "seconds", "times ours", "CPU s", "times ours", "peak MB"]]
    for tool, (seconds, cpu, memory) in sorted(rows.items(), key=lambda row: row[1]):
        numbers = (seconds, seconds / rows[base][0], cpu, cpu / rows[base][1])
        table.append([tool, *(f"{number:.2f}" for number in numbers), f"{memory:.0f}"])
    print("\n".join(["", title, "", *markdown_lines(table)]), flush=True)


def write_record(path: Path) -> None:
    """Writes every run of every table, with the versions of the tools, as JSON."""
    versions = {}
    for name in ("fairseq_subword_ext", *MODULES.values()):
        if importlib.util.find_spec(name):
            versions[name] = importlib.metadata.version(name.replace("_", "-"))
    record = {
        "command": "scripts/benchmarks/bpe.sh",
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "versions": versions,
        "tables": TABLES,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def alphanumeric(text: Path, path: Path) -> None:
    """The same text with only letters and digits in words: there all tools count the same words."""
    with (
        text.open(encoding="utf-8", newline="\n") as lines,
        path.open("w", encoding="utf-8") as out,
    ):
        for line in lines:
            out.write("".join(c if c.isalnum() and c != "_" else " " for c in line[:-1]) + "\n")


def benchmark(text: Path, folder: Path, arguments: argparse.Namespace) -> None:
    size = text.stat().st_size / 1e6
    bench = Benchmark(text, folder, arguments.merges, arguments.threads, arguments.fastbpe)
    rounds, slow = arguments.rounds, arguments.slow_rounds
    where = f"{text.name}, {size:.1f} MB, {arguments.merges} merges, {arguments.threads} threads"
    learners = [tool for tool in bench.tools("learn") if tool not in PLAIN_WORDS_ONLY]
    if slow == 0:
        learners = [tool for tool in learners if tool != "subword-nmt"]
    learned = bench.rounds(["ours", *learners], "learn", rounds, slow)
    print_table(f"Learning from {where}", learned)
    ours = bench.rounds(["ours", *(f"ours:{m}" for m in MEASURES)], "learn", rounds, slow)
    print_table(f"Learning with each measure, from {where}", ours)
    appliers = [tool for tool in bench.tools("apply") if tool in learned]
    print_table(
        f"Applying, file to file, to {where}",
        bench.rounds(["ours", *appliers], "apply", rounds, slow),
    )
    if "Hugging Face tokenizers" in learned:
        lines = bench.rounds(["ours:lines", "Hugging Face tokenizers"], "apply", rounds, slow)
        print_table(f"Applying to a list of lines in memory, {where}", lines, base="ours:lines")
    if not arguments.no_alphanumeric:
        plain = folder / f"alphanumeric-{text.name}"
        alphanumeric(text, plain)
        bench = Benchmark(plain, folder, arguments.merges, arguments.threads, arguments.fastbpe)
        tools = [tool for tool in bench.tools("learn") if tool not in ("fastBPE", "subword-nmt")]
        print_table(f"Learning from {where}, words of letters and digits only",
                    bench.rounds(["ours", "ours:bytes", *tools], "learn", rounds, slow))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="*", type=Path, help="UTF-8 text; without any, two are made")
    parser.add_argument("--merges", type=int, default=32_000)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--slow-rounds", type=int, default=1, help="of subword-nmt; 0 leaves it out"
    )
    parser.add_argument("--megabytes", type=float, default=33.0, help="size of a text that is made")
    parser.add_argument(
        "--no-alphanumeric", action="store_true", help="without gigabpe's comparison"
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="write all runs there, as JSON")
    parser.add_argument("--fastbpe", type=Path, default=Path("build/fastBPE/fast"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = arguments.texts
        if not texts:
            texts = [folder / "words.txt", folder / "unsegmented.txt"]
            for kind, path in zip(("words", "unsegmented"), texts):
                subprocess.run(
                    [sys.executable, HERE / "bpe_text.py", kind, path, "--megabytes", str(arguments.megabytes)],
                    check=True,
                )  # fmt: skip
        for text in texts:
            benchmark(text, folder, arguments)
    if arguments.record is not None:
        write_record(arguments.record)


if __name__ == "__main__":
    main()
