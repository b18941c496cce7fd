#!/usr/bin/env bash
# Compares learning and applying with other BPE tools: all on the same text, in one run, in turns.
#
#   scripts/benchmarks/bpe.sh [TEXT]... [OPTIONS OF bpe.py]
#
# Without TEXT it generates its own. For each text it prints a table for learning and three for applying, and
# writes every run to docs/results/bpe_benchmark.json. This package and the other tools are installed into
# build/bench-venv, tokenizers 1.0 into an environment of its own, and fastBPE is built from source.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=build/bench-venv
python=$venv/bin/python
[ -x "$python" ] || "${PYTHON:-python3}" -m venv "$venv"
"$python" -m pip install -q --upgrade pip "setuptools<80" wheel "pybind11>=2.11"
# Installed as users install it: an editable package, not compiled to byte code, starts more slowly.
"$python" -m pip install -q --no-build-isolation ".[bench]"
"$python" -m pip install -q --no-build-isolation --force-reinstall --no-deps .
# YouTokenToMe builds from source, with tools that it does not declare.
"$python" -m pip install -q "cython<3"
"$python" -m pip install -q --no-build-isolation youtokentome==1.0.6 ||
  echo "YouTokenToMe could not be installed here; its rows are missing" >&2
newer=build/bench-tokenizers-1
if [ ! -x "$newer/bin/python" ]; then
  "${PYTHON:-python3}" -m venv "$newer"
  "$newer/bin/python" -m pip install -q tokenizers==1.0.0rc3
fi
# The package fastBPE can only apply codes; its source has the command that learns, too.
if [ ! -x build/fastBPE/fast ]; then
  mkdir -p build/fastBPE
  if "$python" -m pip download -q --no-deps --no-binary :all: --no-build-isolation -d build/fastBPE fastBPE==0.1.0; then
    tar -xzf build/fastBPE/fastBPE-0.1.0.tar.gz -C build/fastBPE
    "${CXX:-g++}" -std=c++11 -pthread -O3 build/fastBPE/fastBPE-0.1.0/fastBPE/main.cc \
      -o build/fastBPE/fast || echo "fastBPE's command could not be built; its rows are missing" >&2
  fi
fi
exec "$python" scripts/benchmarks/bpe.py --record docs/results/bpe_benchmark.json "$@"
