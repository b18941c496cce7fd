"""Builds the C++ extension; all metadata is in pyproject.toml."""

import sys
from pathlib import Path

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension, build_ext
from setuptools import setup

CLIB = Path("fairseq_subword_ext") / "clib"

# All files at once, one per processor; MAX_JOBS=N in the environment limits that.
ParallelCompile("MAX_JOBS").install()

# Everything but the bindings is plain C++ that knows nothing of Python, so that the sanitizer
# build of the tests compiles the same files.
sources = sorted(str(path) for path in CLIB.glob("**/*.cpp"))

extension = Pybind11Extension(
    "fairseq_subword_ext._native",
    sources,
    include_dirs=[str(CLIB)],
    depends=sorted(str(path) for path in CLIB.glob("**/*.h")),
    cxx_std=17,
    extra_compile_args=[] if sys.platform == "win32" else ["-O3", "-pthread", "-Wall", "-Wextra"],
    extra_link_args=[] if sys.platform == "win32" else ["-pthread"],
)

setup(ext_modules=[extension], cmdclass={"build_ext": build_ext})
