"""scripts/env.sh reports in one line what a machine lacks."""

import os
import shutil
import stat
from pathlib import Path

import pytest
from conftest import ROOT, run_command

NEEDED = ["constraints.txt", "pyproject.toml", "setup.py", "scripts/env.sh"]


@pytest.fixture
def checkout(tmp_path):
    """A checkout with only the files that env.sh reads, and no .venv."""
    for name in NEEDED:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(
        ROOT / "fairseq_subword_ext" / "clib", tmp_path / "fairseq_subword_ext" / "clib"
    )
    return tmp_path


def ensure(checkout, **env):
    return run_command(
        "bash", "-c", "set -euo pipefail; source scripts/env.sh; ensure_environment dev",
        cwd=checkout, env=env, check=False,
    )  # fmt: skip


def tools_without(folder, *missing):
    """A PATH like that of a plain system, without the named tools."""
    folder.mkdir()
    for directory in (Path("/usr/bin"), Path("/bin")):
        for tool in directory.iterdir():
            link = folder / tool.name
            if not tool.name.startswith(missing) and not link.exists():
                link.symlink_to(tool)
    return str(folder)


def executable(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_missing_compiler(checkout):
    path = tools_without(checkout / "bin", "c++", "g++", "x86_64-linux-gnu-g++")
    process = ensure(checkout, PATH=path)
    assert process.returncode == 1
    assert process.stderr.startswith("error: a C++17 compiler is needed: install g++")
    assert process.stderr.count("\n") == 1


def test_python_too_old(checkout):
    old = executable(checkout / "python3.10", "#!/bin/sh\nexit 1\n")
    process = ensure(checkout, PYTHON=old)
    assert process.returncode == 1
    assert process.stderr.startswith("error: Python 3.11 or 3.12 is needed")
    assert process.stderr.count("\n") == 1


def test_unreachable_index(checkout):
    process = ensure(
        checkout, PIP_CONFIG_FILE=os.devnull, PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_EXTRA_INDEX_URL="", PIP_FIND_LINKS="", PIP_RETRIES="1", PIP_CONSTRAINT="",
    )  # fmt: skip
    assert process.returncode == 1
    last = process.stderr.rstrip("\n").split("\n")[-1]
    assert last.startswith("error: the Python package index cannot be reached")
    assert "Traceback" not in process.stderr


FAKE_PYTHON = """#!/bin/sh
case "$*" in
  *'m.version("torch")'*) exit "${TORCH_MISSING:-1}" ;;
  *"pip index versions torch"*) echo "Available versions: 2.14.0, $OFFERED, 2.12.0" ;;
  *"pip install"*)
    echo "$*" >> "$(dirname "$0")/installed"
    echo "Downloading torch-2.13.0-cp311-cp311-linux_x86_64.whl (191.8 MB)"
    echo "Downloading tiny-1.0-py3-none-any.whl (9.9 MB)"
    exit "${PIP_STATUS:-0}" ;;
esac
"""


def install_torch(tmp_path, gpu=False, **env):
    """Runs install_torch with an index and a machine that are made up: its stderr, pip's arguments."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    executable(bin_folder / "python", FAKE_PYTHON)
    executable(bin_folder / "nvidia-smi", f"#!/bin/sh\nexit {0 if gpu else 9}\n")
    process = run_command(
        "bash", "-c", 'set -euo pipefail; source scripts/env.sh; VENV="$FAKE"; install_torch', cwd=ROOT, check=False,
        env={"FAKE": str(tmp_path), "PATH": f"{bin_folder}:{os.environ['PATH']}", **env},
    )  # fmt: skip
    installed = bin_folder / "installed"
    return process, installed.read_text() if installed.exists() else ""


def test_a_cpu_build_of_torch_where_there_is_no_gpu(tmp_path):
    process, installed = install_torch(tmp_path, OFFERED="2.13.0+cpu, 2.13.0")
    assert installed.endswith(" torch==2.13.0+cpu numpy\n")
    assert "downloading torch-2.13.0-cp311-cp311-linux_x86_64.whl: 191.8 MB\n" in process.stderr
    assert "tiny" not in process.stderr


def test_the_usual_build_of_torch_where_there_is_a_gpu(tmp_path):
    _, installed = install_torch(tmp_path, gpu=True, OFFERED="2.13.0+cpu, 2.13.0")
    assert installed.endswith(" torch==2.13.0 numpy\n")


def test_no_cpu_build_on_the_index(tmp_path):
    process, installed = install_torch(tmp_path, OFFERED="2.13.0, 2.12.0+cpu")
    assert installed.endswith(" torch==2.13.0 numpy\n")
    assert "the package index offers no CPU build of torch==2.13.0" in process.stderr
    assert "several GB" in process.stderr


def test_a_torch_that_is_there_stays(tmp_path):
    process, installed = install_torch(tmp_path, TORCH_MISSING="0", OFFERED="2.13.0")
    assert process.returncode == 0 and installed == ""


def test_a_pip_that_fails_is_noticed(tmp_path):
    process, _ = install_torch(tmp_path, OFFERED="2.13.0", PIP_STATUS="1")
    assert process.returncode == 1
    assert "error: pip could not install: torch==2.13.0 numpy" in process.stderr


def test_unknown_option_of_the_test_script():
    process = run_command("bash", ROOT / "scripts" / "test.sh", "--nonsense", check=False)
    assert process.returncode == 1
    assert "unknown option: --nonsense" in process.stderr


def waiting(**env):
    """The OpenMP settings of scripts that source env.sh."""
    process = run_command(
        "bash", "-c", 'source scripts/env.sh; echo "${GOMP_SPINCOUNT-unset} ${OMP_WAIT_POLICY-unset}"',
        cwd=ROOT, env=env,
    )  # fmt: skip
    return process.stdout.split()


def test_idle_threads_do_not_spin_for_long(monkeypatch):
    for name in "GOMP_SPINCOUNT", "OMP_WAIT_POLICY":
        monkeypatch.delenv(name, raising=False)
    assert waiting() == ["2000", "unset"]
    assert waiting(GOMP_SPINCOUNT="7") == ["7", "unset"]
    assert waiting(OMP_WAIT_POLICY="active") == ["unset", "active"]
