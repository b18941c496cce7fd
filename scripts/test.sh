#!/usr/bin/env bash
# Sets up the test environment and runs the tests.
#
#   bash scripts/test.sh              the quick tests, under 10 minutes on 2 cores
#   bash scripts/test.sh --all        the tests marked slow as well, under 30 minutes
#   bash scripts/test.sh --gpu        only the tests marked gpu; fails if there is no GPU
#   bash scripts/test.sh -- -k merge  passes everything after -- to pytest
#   bash scripts/test.sh --matrix [ROW...] [--all] [--again]
#                                     the quick (or all) tests with other versions of Python, Fairseq and
#                                     torch, as in docs/installation.md; one environment per row, in .matrix
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

find_any_python() {
  local version
  for version in 3.11 3.12 3.13 3.14 3.10 3.9; do
    find_version "$version" && return
  done
  die "no Python from 3.9 on was found on PATH or in pyenv"
}

select="not slow and not gpu"
gpu=
while [ $# -gt 0 ]; do
  case "$1" in
    --all) select="not gpu" ;;
    --gpu) select="gpu" gpu=1 ;;
    --matrix)
      python="$(find_any_python)" || exit 1
      exec "$python" "$ROOT/scripts/matrix.py" "${@:2}"
      ;;
    --) shift; break ;;
    -h | --help) script_help; exit 0 ;;
    *) die "unknown option: $1 (--all, --gpu, --matrix, or -- before pytest's own options)" ;;
  esac
  shift
done

ensure_environment fairseq,quickstart,dev
cd "$ROOT"
# Two workers with one thread each: most tests are small subprocesses that gain nothing from more.
# Each file runs in one worker, so that its shared fixtures are created once.
export OMP_NUM_THREADS=1 PYTHONPATH=
if [ -n "$gpu" ]; then
  "$VENV/bin/python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' \
    || die "--gpu: torch sees no CUDA device, so no GPU test can run"
  exec "$VENV/bin/python" -m pytest -m "$select" "$@"
fi
exec "$VENV/bin/python" -m pytest -n "${TEST_WORKERS:-2}" --dist loadfile -m "$select" "$@"
