"""scripts/wheels.sh: its options, and that the sdist holds all of the core."""

import sys
import tarfile

from conftest import PACKAGE, ROOT, run_command

SCRIPT = ROOT / "scripts" / "wheels.sh"


def test_help():
    assert "--python LIST" in run_command("bash", SCRIPT, "--help").stdout


def test_unknown_option():
    process = run_command("bash", SCRIPT, "--nonsense", check=False)
    assert process.returncode == 1
    assert process.stderr == "error: unknown option: --nonsense (see --help)\n"


def test_a_python_that_is_not_there(tmp_path):
    process = run_command("bash", SCRIPT, "--python", "3.99", "--out", tmp_path, check=False)
    assert process.returncode == 1
    assert process.stderr == "error: no Python 3.99 was found on PATH or in pyenv\n"


def test_the_sdist_holds_every_file_of_the_core(tmp_path):
    run_command(
        sys.executable, "setup.py", "-q", "egg_info", "--egg-base", tmp_path, "sdist", "--dist-dir", tmp_path, cwd=ROOT
    )  # fmt: skip
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    core = {
        path.relative_to(ROOT).as_posix()
        for path in (PACKAGE / "clib").rglob("*")
        if path.suffix in (".cpp", ".h")
    }
    assert core <= names and {"constraints.txt", "pyproject.toml", "setup.py"} <= names
