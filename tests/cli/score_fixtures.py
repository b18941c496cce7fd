"""Fixtures of the tests of ``fairseq-subword score``."""

import json

import pytest
from score_helpers import REFERENCE, SYSTEM

from fairseq_subword_ext.cli.main import main


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Changes to a folder with a reference and a system's output; returns a writer of more files."""
    monkeypatch.chdir(tmp_path)

    def write(**contents):
        for name, lines in contents.items():
            text = lines if isinstance(lines, str) else "".join(f"{line}\n" for line in lines)
            (tmp_path / name).write_bytes(text.encode("utf-8"))
        return tmp_path

    write(ref=REFERENCE, sys=SYSTEM)
    return write


@pytest.fixture
def score(capfdbinary):
    """Runs the command in this process; returns its status, output and remarks."""

    def run(*arguments):
        status = main(["score", *map(str, arguments)])
        output, remarks = capfdbinary.readouterr()
        return status, output.decode("utf-8"), remarks.decode("utf-8")

    return run


@pytest.fixture
def scores(score):
    """The record that the command prints as JSON."""

    def run(*arguments):
        status, output, remarks = score(*arguments, "--format", "json")
        assert status == 0, remarks
        return json.loads(output)

    return run
