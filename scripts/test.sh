#!/usr/bin/env bash
# Sets up what the tests need and runs them.
#
#   bash scripts/test.sh              the quick tests, under 10 minutes on 2 cores
#   bash scripts/test.sh --all        the tests marked slow as well, under 30 minutes
#   bash scripts/test.sh --gpu        only the tests marked gpu; fails where none could run
#   bash scripts/test.sh -- -k merge  what follows -- goes to pytest
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

select="not slow and not gpu"
gpu=
while [ $# -gt 0 ]; do
  case "$1" in
    --all) select="not gpu" ;;
    --gpu) select="gpu" gpu=1 ;;
    --) shift; break ;;
    -h | --help) script_help; exit 0 ;;
    *) die "unknown option: $1 (--all, --gpu, or -- before pytest's own options)" ;;
  esac
  shift
done

ensure_environment fairseq,quickstart,dev
cd "$ROOT"
# Two workers with one thread each: most tests are small subprocesses that gain nothing from more.
# A file stays with one worker, so that what its tests share is made once.
export OMP_NUM_THREADS=1 PYTHONPATH=
if [ -n "$gpu" ]; then
  "$VENV/bin/python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' \
    || die "--gpu: torch sees no CUDA device, so that no GPU test can run"
  exec "$VENV/bin/python" -m pytest -m "$select" "$@"
fi
exec "$VENV/bin/python" -m pytest -n "${TEST_WORKERS:-2}" --dist loadfile -m "$select" "$@"
