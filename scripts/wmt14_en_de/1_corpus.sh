#!/usr/bin/env bash
# The sources' files, from the network or from --raw, become one corpus; prints its sizes beside the paper's.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "1. corpus: the WMT 2014 English-German corpus, Moses tokens"
fetch
"$PYTHON_BIN" "$HERE/corpus.py" --raw "$WORK/raw" --out "$WORK/corpus" \
  ${MAX_PAIRS:+--lines "$MAX_PAIRS"} --workers "$WORKERS"
say "data figures of Wang, Cho & Gu (2020)"
expect
