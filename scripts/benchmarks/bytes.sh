#!/usr/bin/env bash
# Encoding and decoding of byte-level subwords: Fairseq's byte_bpe against bbpe, in one run.
#
#   bash scripts/benchmarks/bytes.sh [FILE ...] [--lines N] [--rounds N] [--workers N]
#
# FILE: text, one sentence per line; without any, text of several scripts is made up. Prints a table and writes every
# round to docs/results/bytes_benchmark.json.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
ensure_environment fairseq
exec "$VENV/bin/python" "$ROOT/scripts/benchmarks/bytes.py" --record "$ROOT/docs/results/bytes_benchmark.json" "$@"
