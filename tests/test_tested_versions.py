"""Combinations of versions that were never tried are named, in one line with what to install."""

import sys

import pytest
from conftest import PACKAGE, run_command

from fairseq_subword_ext.tested_versions import INSTALL, untested


@pytest.mark.parametrize(
    ("python", "versions"),
    [
        ((3, 11), {"ve-fairseq": "0.12.3", "torch": "2.13.0+cpu"}),
        ((3, 11), {"fairseq-fixed": "0.12.3.1", "torch": "2.13.1"}),
        ((3, 10), {"fairseq": "0.12.2", "torch": "1.13.1"}),
        ((3, 13), {"torch": "2.14.0"}),  # a Fairseq that pip does not know
    ],
)
def test_tested_rows(python, versions):
    assert untested(versions, python) is None


@pytest.mark.parametrize(
    ("python", "versions", "named"),
    [
        ((3, 13), {"ve-fairseq": "0.12.3", "torch": "2.13.0"}, "Python 3.13, ve-fairseq 0.12.3, torch 2.13.0"),
        ((3, 11), {"ve-fairseq": "0.12.3", "torch": "2.1.0"}, "torch 2.1.0"),
        ((3, 11), {"ve-fairseq": "0.12.3"}, "Python 3.11, ve-fairseq 0.12.3. "),
        ((3, 11), {"ve-fairseq": "0.13.0", "torch": "2.13.0"}, "ve-fairseq 0.13.0"),
        ((3, 10), {"fairseq": "0.12.2", "torch": "2.14.1"}, "fairseq 0.12.2, torch 2.14.1"),
    ],
)  # fmt: skip
def test_other_rows(python, versions, named):
    line = untested(versions, python)
    assert line.startswith("not tested with ") and named in line
    assert INSTALL in line and "\n" not in line


def test_two_builds_of_fairseq_over_one_another():
    line = untested({"ve-fairseq": "0.12.3", "fairseq-fixed": "0.12.3.1", "torch": "2.13.0"})
    assert line.startswith("ve-fairseq and fairseq-fixed are both installed")


def test_registering_warns_of_an_untested_row_once():
    code = (
        "import fairseq_subword_ext.tested_versions as t\n"
        "t.installed = lambda: {'ve-fairseq': '9', 'torch': '1'}\n"
        "import fairseq_subword_ext as f\nf.register()\nf.register()"
    )
    pytest.importorskip("fairseq")
    process = run_command(sys.executable, "-c", code)
    assert process.stderr.count("fairseq_subword_ext: not tested with Python 3") == 1


def test_a_fairseq_that_breaks_on_import_gives_one_line(tmp_path):
    """fairseq 0.12.2 on Python 3.11 and newer raises no ImportError."""
    (tmp_path / "fairseq").mkdir()
    (tmp_path / "fairseq" / "__init__.py").write_text(
        "raise ValueError('mutable default\\nfor field common')"
    )
    (tmp_path / "fairseq" / "models.py").write_text("")
    process = run_command(
        sys.executable, "-c", "import fairseq_subword_ext as f; f.register()",
        env={"PYTHONPATH": f"{tmp_path}:{PACKAGE.parent}"}, check=False,
    )  # fmt: skip
    last = process.stderr.strip().split("\n")[-1]
    assert last.startswith(
        "ImportError: fairseq cannot be imported (mutable default for field common)"
    )
    assert INSTALL in last


def test_an_old_python_gives_one_line():
    code = (
        "import sys; sys.version_info = (3, 8, 18, 'final', 0); sys.version = '3.8.18 (main)'\n"
        "import fairseq_subword_ext"
    )
    process = run_command(
        sys.executable, "-c", code, env={"PYTHONPATH": str(PACKAGE.parent)}, check=False
    )
    last = process.stderr.strip().split("\n")[-1]
    assert last.startswith("ImportError: fairseq_subword_ext needs Python 3.9 or newer")
    assert last.endswith("this is Python 3.8.18")
