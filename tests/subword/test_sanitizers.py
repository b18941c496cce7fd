"""Builds the core without Python under AddressSanitizer and UBSan and runs it."""

import shutil
import subprocess
from pathlib import Path

import pytest

import fairseq_subword_ext

CLIB = Path(fairseq_subword_ext.__file__).parent / "clib"
CHECKS = Path(__file__).with_name("core_checks.cpp")

COMPILER = shutil.which("g++") or shutil.which("clang++")


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
@pytest.mark.parametrize("sanitizers", ["address,undefined", "thread"])
def test_the_core_under_sanitizers(tmp_path, sanitizers):
    program = tmp_path / "core_checks"
    sources = [
        str(path) for path in sorted(CLIB.rglob("*.cpp")) if not path.name.startswith("bindings")
    ]
    build = subprocess.run(
        [COMPILER, "-std=c++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread",
         f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all", f"-I{CLIB}",
         str(CHECKS), *sources, "-o", str(program)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert build.returncode == 0, build.stderr
    run = subprocess.run([str(program)], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout == "all checks passed\n"
