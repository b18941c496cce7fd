#!/usr/bin/env bash
# Segments the corpus and binarizes it with a dictionary for each side.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "3. segment and binarize"
"$PYTHON_BIN" "$TOOLS/binarize.py" --corpus "$WORK/corpus" --encoder "$SYSTEM_encoder" \
  --codes "$SEGMENTATION/codes" --target-codes "$TARGET_CODES" --separate \
  --out "$SEGMENTATION/bin" --workers "$WORKERS"
