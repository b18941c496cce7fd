"""Builds the core without Python under sanitizers, runs it, and replays the seeds of the fuzzing targets."""

import shutil
import subprocess
from pathlib import Path

import pytest

import fairseq_subword_ext

CLIB = Path(fairseq_subword_ext.__file__).parent / "clib"
CHECKS = Path(__file__).with_name("core_checks.cpp")

COMPILER = shutil.which("g++") or shutil.which("clang++")


FUZZ = Path(__file__).parents[1] / "fuzz"


def run(*command, cwd):
    process = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("sanitizers", ["address,undefined", "thread"])
def test_the_core_under_sanitizers(tmp_path, sanitizers):
    compiler = [
        COMPILER, "-std=c++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread",
        f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all", f"-I{CLIB}", f"-I{FUZZ}",
    ]  # fmt: skip
    core = [path for path in sorted(CLIB.rglob("*.cpp")) if not path.name.startswith("bindings")]
    run(*compiler, "-c", *core, cwd=tmp_path)
    objects = sorted(tmp_path.glob("*.o"))
    run(*compiler, CHECKS, *objects, "-o", "core_checks", cwd=tmp_path)
    assert run("./core_checks", cwd=tmp_path) == "all checks passed\n"
    targets = sorted(FUZZ.glob("*_targets.cpp"))
    run(*compiler, FUZZ / "replay.cpp", *targets, *objects, "-o", "replay", cwd=tmp_path)
    inputs = sum(1 for path in (FUZZ / "seeds").glob("*/*") if path.is_file())
    assert run("./replay", FUZZ / "seeds", cwd=tmp_path).startswith(f"{inputs} inputs of ")
