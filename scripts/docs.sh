#!/usr/bin/env bash
# Sets up what the documentation needs, builds it with warnings as errors, and prints where the start page is.
#
#   bash scripts/docs.sh           into docs/_build/html
#   bash scripts/docs.sh --fresh   builds every page again
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

fresh=()
while [ $# -gt 0 ]; do
  case "$1" in
    --fresh) fresh=(--fresh-env --write-all) ;;
    -h | --help) script_help; exit 0 ;;
    *) die "unknown option: $1 (--fresh)" ;;
  esac
  shift
done

# Fairseq, since the pages of configuration keys and of the Python API come from the code.
ensure_environment fairseq,docs
cd "$ROOT"
out=docs/_build/html
"$VENV/bin/python" -m sphinx -b html -W --keep-going -q "${fresh[@]}" docs "$out"
say "start page: $ROOT/$out/index.html"
