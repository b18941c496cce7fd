#!/usr/bin/env bash
# Prints what a context costs: tokens per second of training and of generation for the Transformer
# without one, with a convolution, with a Bi-GRU, and as Fairseq's byte_level_bpe example computes it
# (its signature mended), all in one run in which they take turns. A few minutes on a CPU.
#
#   bash scripts/benchmarks/model.sh [--arch contextualized_transformer_base] [--rounds 7] ...
#
# --help lists all settings. On a machine with other work to do, measure CPU time with one thread:
#   OMP_NUM_THREADS=1 bash scripts/benchmarks/model.sh --cpu-time
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

# An environment that has fairseq and the package may be given in PYTHON_BIN.
[ -n "${PYTHON_BIN:-}" ] || ensure_environment fairseq
cd "$ROOT"
exec "${PYTHON_BIN:-$VENV/bin/python}" -W ignore scripts/benchmarks/model.py "$@"
