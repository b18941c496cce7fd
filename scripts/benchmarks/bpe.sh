#!/usr/bin/env bash
# Compares learning and applying with other BPE tools: all on the same text, in one run, in turns.
#
#   scripts/benchmarks/bpe.sh [TEXT]... [-- OPTIONS OF bpe.py]
#
# Without TEXT it generates its own. For each text it prints a table for learning and one for applying, and writes
# them to docs/results/bpe_benchmark.json. The other tools are installed into build/bench-venv.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=build/bench-venv
python=$venv/bin/python
[ -x "$python" ] || "${PYTHON:-python3}" -m venv "$venv"
"$python" -m pip install -q --upgrade pip "setuptools<80" wheel "pybind11>=2.11"
"$python" -m pip install -q --no-build-isolation -e ".[bench]"
# These build from source, with tools that they do not declare.
"$python" -m pip install -q "cython<3"
for tool in youtokentome==1.0.6 fastBPE==0.1.0; do
  "$python" -m pip install -q --no-build-isolation "$tool" ||
    echo "$tool could not be installed here; its rows are missing" >&2
done
# The package fastBPE can only apply codes; its source has the command that learns, too.
if [ ! -x build/fastBPE/fast ]; then
  mkdir -p build/fastBPE
  if "$python" -m pip download -q --no-deps --no-binary :all: --no-build-isolation -d build/fastBPE fastBPE==0.1.0; then
    tar -xzf build/fastBPE/fastBPE-0.1.0.tar.gz -C build/fastBPE
    "${CXX:-g++}" -std=c++11 -pthread -O3 build/fastBPE/fastBPE-0.1.0/fastBPE/main.cc \
      -o build/fastBPE/fast || echo "fastBPE's command could not be built; its rows are missing" >&2
  fi
fi
exec "$python" scripts/benchmarks/bpe.py --fastbpe build/fastBPE/fast \
  --record docs/results/bpe_benchmark.json "$@"
