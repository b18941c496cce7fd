#!/usr/bin/env bash
# The release's files, from the network or from --raw, become the paper's corpus; prints its sizes beside
# the paper's.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "1. corpus: IWSLT 2014 German-English, Moses-tokenized"
fetch
"$PYTHON_BIN" "$HERE/corpus.py" --raw "$WORK/raw" ${RAW:+"$RAW"} --out "$WORK/corpus" \
  --valid "$VALID" ${MAX_PAIRS:+--lines "$MAX_PAIRS"} --workers "$WORKERS"
expect
