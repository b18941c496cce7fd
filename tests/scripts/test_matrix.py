"""scripts/matrix.py: rows, records and resuming, with commands that are made up."""

import json
import sys

import pytest
from conftest import ROOT, run_command

from fairseq_subword_ext.tested_versions import FAIRSEQ_DISTRIBUTIONS, untested

sys.path.insert(0, str(ROOT / "scripts"))
import matrix

REPORT = """<testsuites><testsuite>
<testcase classname="tests.a" name="one" file="tests/a.py"/>
<testcase classname="tests.a" name="two" file="tests/a.py"><skipped message="no torch"/></testcase>
<testcase classname="tests.a" name="three[x]" file="tests/a.py"><failure message="no"/></testcase>
<testcase classname="tests.b" name="four" file="tests/b.py"><error message="no"/><skipped/></testcase>
</testsuite></testsuites>"""


def test_counts(tmp_path):
    (tmp_path / "report").write_text(REPORT)
    assert matrix.counts(tmp_path / "report") == {
        "passed": 1, "skipped": 1, "failed": 2, "failures": ["tests/a.py::three[x]", "tests/b.py::four"],
    }  # fmt: skip


def test_constraints_leave_torch_to_the_row():
    rows = {row.name: row for row in matrix.ROWS}
    main = matrix.constraints(rows["3.11"]).splitlines()
    assert "torch==2.13.0" in main and any(line.startswith("numpy==") for line in main)
    newest = matrix.constraints(rows["3.11-newest-torch"]._replace(torch="2.99.0")).splitlines()
    assert [line for line in newest if line.startswith("torch")] == ["torch==2.99.0"]
    assert matrix.constraints(rows["3.9-core"]).strip() == ""


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("== x\nerror: pip could not install: -e {0}[dev] (No match for x; its full output: {0}/.venv/install.log)\n",
         "pip could not install: -e .[dev] (No match for x)"),
        ("error: failed to compile: install g++ (Debian: apt-get), then run (the output: {0}/.venv/install.log)",
         "failed to compile: install g++ (Debian: apt-get), then run"),
    ],
)  # fmt: skip
def test_reasons_name_no_path_of_this_machine(tmp_path, output, shown):
    assert matrix.reason(output.format(tmp_path), tmp_path) == shown


@pytest.fixture
def rows_that_pass(monkeypatch, tmp_path):
    """A matrix whose rows are not installed; lists those that were tried."""
    tried = []

    def try_row(row, commit, tests, workers):
        tried.append(row.name)
        entry = {"row": row.name, "commit": commit, "python": row.python, "tests": tests}
        if row.name == "3.13-core":
            return {**entry, "supported": "not installed", "reason": "no Python 3.13"}
        counted = {"passed": 5, "skipped": 1, "failed": int(row.name == "3.10"), "supported": "x"}
        return {**entry, "numpy": "2.0.0", "fairseq": "0.12.2", **counted}

    monkeypatch.setattr(matrix, "try_row", try_row)
    monkeypatch.setattr(matrix, "RECORD", tmp_path / "versions.json")
    return tried


def test_finished_rows_are_kept(rows_that_pass, capsys):
    assert matrix.main(["3.9-core", "3.13-core"]) == 0
    assert matrix.main(["3.9-core", "3.13-core", "3.12-core"]) == 0
    assert rows_that_pass == ["3.9-core", "3.13-core", "3.13-core", "3.12-core"]
    assert [entry["row"] for entry in json.loads(matrix.RECORD.read_text())["rows"]] == [
        "3.9-core", "3.12-core", "3.13-core"]  # fmt: skip
    out = capsys.readouterr().out
    assert "| 3.13-core | 3.13 |  |  |  |  |  |  |  | not installed: no Python 3.13 |" in out
    assert "| 3.9-core | 3.9 | fairseq 0.12.2 |  | 2.0.0 | quick | 5 | 1 | 0 | x |" in out
    matrix.main(["3.9-core", "--all"])  # quick tests are not all of them
    matrix.main(["3.9-core"])
    matrix.main(["3.9-core", "--again"])
    assert rows_that_pass[4:] == ["3.9-core", "3.9-core"]


def test_a_row_that_fails_fails_the_matrix(rows_that_pass):
    assert matrix.main(["3.10"]) == 1


def test_unknown_row():
    process = run_command("bash", ROOT / "scripts" / "test.sh", "--matrix", "2.7", check=False)
    assert process.returncode == 2
    assert (
        process.stderr.strip()
        .splitlines()[-1]
        .startswith("test.sh --matrix: error: unknown row '2.7'; expected one of 3.11, 3.12,")
    )


def test_the_message_about_untested_versions_agrees_with_the_record():
    recorded = json.loads((ROOT / "docs" / "results" / "versions.json").read_text("utf-8"))["rows"]
    assert recorded
    for entry in recorded:
        builds = [name for name in (*FAIRSEQ_DISTRIBUTIONS, "torch") if name in entry]
        if len(builds) < 2:
            continue
        python = tuple(map(int, entry["python"].split(".")[:2]))
        line = untested({name: entry[name] for name in builds}, python)
        assert (line is None) == (entry["supported"] == "everything"), entry["row"]
