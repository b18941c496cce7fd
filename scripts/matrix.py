#!/usr/bin/env python3
"""Tests this package with other versions of Python, Fairseq and torch: ``bash scripts/test.sh --matrix``.

Every row has a clone of the current commit and a virtual environment of its own in .matrix/ROW. What was
tested goes to docs/results/versions.json. Finished rows of the same commit are kept, so that an interrupted
call resumes.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "docs" / "results" / "versions.json"
FOLDER = ROOT / ".matrix"

QUICK, ALL = "not slow and not gpu", "not gpu"


class Row(NamedTuple):
    """One combination of versions.

    Attributes:
        name: as named on the command line and in the record.
        python: version of the interpreter, such as 3.11.
        torch: the version to install first; "newest" for the newest one, None for none.
        extras: of this package.
        requirements: what is installed before this package.
        constrained: whether constraints.txt applies, except to torch.
        pins: more constraints.
        isolated: whether pip builds packages in environments of their own.
    """

    name: str
    python: str
    torch: Optional[str] = None
    extras: str = "dev"
    requirements: Tuple[str, ...] = ()
    constrained: bool = False
    pins: Tuple[str, ...] = ()
    isolated: bool = True


FAIRSEQ = "fairseq,quickstart,dev"

ROWS = (
    Row("3.11", "3.11", "2.13.0", FAIRSEQ, constrained=True),
    Row("3.12", "3.12", "2.13.0", FAIRSEQ, constrained=True),
    Row("3.11-newest-torch", "3.11", "newest", FAIRSEQ, constrained=True),
    # Its build needs torch, which is installed by then.
    Row("3.11-fairseq-fixed", "3.11", "2.13.0", "fairseq-fixed,quickstart,dev",
        ("setuptools>=77", "wheel", "cython", "pybind11"), constrained=True, isolated=False),
    # hydra-core 1.0 and omegaconf 2.0, which it needs, have metadata that pip 24.1 and newer refuse.
    Row("3.10", "3.10", "1.13.1", FAIRSEQ, ("pip<24.1",), pins=("numpy<1.24",)),
    Row("3.9-core", "3.9"),
    Row("3.10-core", "3.10"),
    Row("3.12-core", "3.12"),
    Row("3.13-core", "3.13"),
)  # fmt: skip


class NotInstalledError(Exception):
    """A row cannot be installed; the message is one line."""


def shell(folder: Path, command: str, *arguments: str, **env: str) -> subprocess.CompletedProcess:
    """Runs a command after sourcing the env.sh of a checkout."""
    return subprocess.run(
        ["bash", "-c", f"set -euo pipefail; source scripts/env.sh; {command}", "bash", *arguments],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


def clone(commit: str, folder: Path) -> None:
    """Checks out a commit, and keeps the virtual environment that is there."""
    if not (folder / ".git").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(
            ["git", "clone", "-q", "--shared", "--no-checkout", ROOT, folder], check=True
        )
    git = ["git", "-C", folder]
    subprocess.run([*git, "fetch", "-q", "origin"], check=True)
    subprocess.run([*git, "checkout", "-q", "--force", "--detach", commit], check=True)


def constraints(row: Row) -> str:
    """The content of the row's constraints file; torch's version is always that of the row."""
    lines = [*row.pins]
    if row.constrained:
        lines += [
            line
            for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
            if not re.match("torch(audio)?==", line)
        ]
    if row.torch:
        lines.append(f"torch=={row.torch}")
    return "\n".join([*lines, ""])


def newest_torch(python: str) -> str:
    """The newest version that pip offers this interpreter.

    Raises:
        NotInstalledError: If it offers none.
    """
    listed = subprocess.run(
        [python, "-m", "pip", "index", "versions", "torch"], capture_output=True, text=True, check=False
    )  # fmt: skip
    found = re.search(r"^torch \(([^+)]+)", listed.stdout, re.MULTILINE)
    if not found:
        raise NotInstalledError("pip offers no torch for this Python")
    return found[1]


def install(row: Row, folder: Path) -> Path:
    """Makes the row's environment, and returns its interpreter.

    Raises:
        NotInstalledError: If anything cannot be installed.
    """
    found = shell(folder, 'find_version "$1"', row.python)
    if found.returncode:
        raise NotInstalledError(f"no Python {row.python} was found on PATH or in pyenv")
    python = folder / ".venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([found.stdout.strip(), "-m", "venv", folder / ".venv"], check=True)
    if row.torch == "newest":
        row = row._replace(torch=newest_torch(str(python)))
    file = folder / ".venv" / "constraints.txt"
    file.write_text(constraints(row), "utf-8")
    steps = ["install_torch"] if row.torch else []
    steps += ['[ $# = 1 ] || pip_install "${@:2}"', 'pip_install -e "$ROOT[$1]"']
    env = {"CONSTRAINTS": str(file)}
    if not row.isolated:
        env["PIP_NO_BUILD_ISOLATION"] = "0"  # pip reads this variable as --build-isolation=0
    process = shell(folder, "; ".join(steps), row.extras, *row.requirements, **env)
    (folder / ".venv" / "steps.log").write_text(process.stderr, "utf-8")
    if process.returncode:
        raise NotInstalledError(reason(process.stderr, folder))
    return python


def reason(output: str, folder: Path) -> str:
    """The last line of a failed installation, without paths of this machine."""
    line = re.sub("^error: ", "", last_line(output)).replace(f"{folder}[", ".[")
    return re.sub(rf"[;(] ?[^;(]*{re.escape(str(folder))}[^)]*", "", line).replace(" )", "")


def last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def versions(python: Path) -> Dict[str, str]:
    """The versions of Python and of what Fairseq needs, as installed."""
    code = (
        "import json, platform\nfrom importlib import metadata\n"
        "found = {'python': platform.python_version()}\n"
        "for name in ('ve-fairseq', 'fairseq-fixed', 'fairseq', 'torch', 'numpy'):\n"
        "    try: found[name] = metadata.version(name)\n"
        "    except metadata.PackageNotFoundError: pass\n"
        "print(json.dumps(found))"
    )
    return json.loads(subprocess.check_output([python, "-c", code]))


def message_on_import(python: Path, folder: Path) -> str:
    """What registering the plug-in says: nothing for a supported combination, else one line."""
    code = "import fairseq_subword_ext as plugin; plugin.register()"
    process = subprocess.run(
        [python, "-W", "ignore", "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )  # fmt: skip
    return last_line(process.stderr) if process.returncode else process.stderr.strip()


def run_tests(python: Path, folder: Path, select: str, workers: str) -> dict:
    """Runs the tests, and returns how many passed, were skipped and failed, and which failed."""
    report, log = folder / ".venv" / "tests.xml", folder / ".venv" / "tests.log"
    report.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-q", "-n", workers, "--dist", "loadfile", "-m", select,
               "--junitxml", report, "-o", "junit_family=xunit1"]  # fmt: skip
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": "", "VIRTUAL_ENV": ""}
    with log.open("wb") as output:
        status = subprocess.run(
            command, cwd=folder, env=env, stdout=output, stderr=subprocess.STDOUT, check=False
        ).returncode
    if status not in (0, 1) or not report.exists():
        raise SystemExit(f"error: pytest stopped with status {status}: see {log}")
    return counts(report)


def counts(report: Path) -> dict:
    """Reads pytest's JUnit report."""
    passed = skipped = 0
    failures: List[str] = []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        results = {child.tag for child in case}
        if results & {"failure", "error"}:
            failures.append(f"{case.get('file') or case.get('classname')}::{case.get('name')}")
        elif "skipped" in results:
            skipped += 1
        else:
            passed += 1
    return {
        "passed": passed,
        "skipped": skipped,
        "failed": len(failures),
        "failures": failures[:20],
    }


def try_row(row: Row, commit: str, tests: str, workers: str) -> dict:
    """Installs and tests one row, and returns its entry in the record."""
    folder = FOLDER / row.name
    entry = {
        "row": row.name,
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": commit,
        "python": row.python,
        "tests": tests,
    }
    say(f"{row.name}: installing")
    clone(commit, folder)
    try:
        python = install(row, folder)
    except NotInstalledError as error:
        say(f"{row.name}: {error}")
        return {**entry, "supported": "not installed", "reason": str(error)}
    entry.update(versions(python))
    entry["message"] = message_on_import(python, folder)
    say(f"{row.name}: testing")
    entry.update(run_tests(python, folder, ALL if tests == "all" else QUICK, workers))
    entry["supported"] = supported(row, entry)
    return entry


def supported(row: Row, entry: dict) -> str:
    """What the row supports: everything, everything but Fairseq, or not all of it."""
    if entry["failed"]:
        return "fails tests"
    return "everything" if "fairseq" in row.extras else "all but Fairseq and torch"


def say(text: str) -> None:
    print(f"== {text}", file=sys.stderr, flush=True)


def table(entries: List[dict]) -> str:
    """The record as a Markdown table."""
    lines = [
        "| row | Python | Fairseq | torch | numpy | tests | passed | skipped | failed | supported |"
    ]
    lines.append("|---" * 10 + "|")
    for entry in entries:
        builds = ("ve-fairseq", "fairseq-fixed", "fairseq")
        fairseq = [f"{name} {entry[name]}" for name in builds if name in entry]
        cells = [
            entry["row"],
            entry["python"],
            *(fairseq or [""]),
            entry.get("torch", ""),
            entry.get("numpy", ""),
        ]
        if "passed" in entry:
            cells += [
                entry["tests"],
                entry["passed"],
                entry["skipped"],
                entry["failed"],
                entry["supported"],
            ]
        else:
            cells += ["", "", "", "", f"not installed: {entry['reason']}"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)  # fmt: skip


def is_finished(entry: Optional[dict], commit: str, tests: str) -> bool:
    return (
        entry is not None
        and entry["commit"] == commit
        and "passed" in entry
        and entry["tests"] in (tests, "all")
    )


def main(arguments: Optional[List[str]] = None) -> int:
    names = [row.name for row in ROWS]
    parser = argparse.ArgumentParser(prog="test.sh --matrix", description=__doc__.split("\n")[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"only these: {', '.join(names)}")
    parser.add_argument("--all", action="store_true", help="run the slow tests too")
    parser.add_argument("--again", action="store_true", help="repeat finished rows")
    options = parser.parse_args(arguments)
    for name in options.rows:
        if name not in names:
            parser.error(f"unknown row {name!r}; expected one of {', '.join(names)}")
    tests = "all" if options.all else "quick"
    git = ["git", "-C", ROOT]
    commit = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()[:12]
    if subprocess.check_output(
        [*git, "status", "--porcelain", "--", ".", ":!docs/results/versions.json"], text=True
    ):
        say(f"uncommitted changes are not tested; testing {commit}")
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {"rows": []}
    entries = {entry["row"]: entry for entry in record["rows"]}
    rows = {row.name: row for row in ROWS}
    for row in (rows[name] for name in options.rows or names):
        if not options.again and is_finished(entries.get(row.name), commit, tests):
            say(f"{row.name}: finished before")
            continue
        entries[row.name] = try_row(row, commit, tests, os.environ.get("TEST_WORKERS", "2"))
        record["rows"] = [entries[name] for name in names if name in entries]
        RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(table(record["rows"]))
    asked = [entries[name] for name in options.rows or names]
    return int(any(entry.get("failed") for entry in asked))


if __name__ == "__main__":
    sys.exit(main())
