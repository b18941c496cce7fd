#!/usr/bin/env bash
# Segments the corpus and binarizes it with fairseq-preprocess, with one dictionary for all languages.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "3. segment and binarize"
"$PYTHON_BIN" "$TOOLS/binarize.py" --corpus "$WORK/corpus" --encoder bbpe --codes "$CODES" \
  --out "$WORK/bin" --splits train,valid,test,test_seen
