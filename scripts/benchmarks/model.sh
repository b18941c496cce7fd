#!/usr/bin/env bash
# Measures the cost of a context: tokens per second of training and generation for the Transformer without
# context, with a convolution, with a Bi-GRU, and with the Bi-GRU of Fairseq's byte_level_bpe example (its
# signature fixed), all in one run and in turns. Takes a few minutes on a CPU.
#
#   bash scripts/benchmarks/model.sh [--arch contextualized_transformer_base] [--rounds 7] ...
#
# --help lists all options. On a shared machine, measure CPU time with one thread:
#   OMP_NUM_THREADS=1 bash scripts/benchmarks/model.sh --cpu-time
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

# PYTHON_BIN may name a Python that has fairseq and the package.
[ -n "${PYTHON_BIN:-}" ] || ensure_environment fairseq
cd "$ROOT"
exec "${PYTHON_BIN:-$VENV/bin/python}" -W ignore scripts/benchmarks/model.py "$@"
