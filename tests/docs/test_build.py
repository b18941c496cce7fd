"""The documentation builds without a warning, and holds what is generated."""

import sys

import pytest
from conftest import ROOT, run_command

from fairseq_subword_ext.cli.main import COMMANDS


@pytest.mark.slow
def test_the_documentation_builds_without_a_warning(tmp_path):
    pytest.importorskip("furo")
    pytest.importorskip("fairseq")
    run_command(
        sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-d", tmp_path / "trees",
        ROOT / "docs", tmp_path / "html",
    )  # fmt: skip
    pages = tmp_path / "html" / "reference"
    for command in COMMANDS:
        assert "fairseq-subword" in (pages / "commands" / f"{command}.html").read_text("utf-8")
    assert "--borders" in (pages / "commands" / "learn-bpe.html").read_text("utf-8")
    assert "finetune" in (pages / "configuration.html").read_text("utf-8")
