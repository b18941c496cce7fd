#!/usr/bin/env bash
# Measures learning from a vocabulary of millions of word types: time and peak memory of
# learn-bpe --dict-input, by number of types and by measure, in one run.
#
#   bash scripts/benchmarks/many_types.sh [--types 1,3,10] [--measures frequency,av-weighted,dlg-weighted]
#
# PYTHON_BIN=/path/to/python uses an existing environment with the package and pycountry.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
if [ -z "${PYTHON_BIN:-}" ]; then
  ensure_environment quickstart
  PYTHON_BIN="$VENV/bin/python"
fi
export PYTHONPATH="$ROOT${PYTHONPATH:+:$PYTHONPATH}"
exec "$PYTHON_BIN" "$ROOT/scripts/benchmarks/many_types.py" "$@"
