#!/usr/bin/env bash
# Segments the corpus and binarizes it with one dictionary for both sides.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "3. segment and binarize"
"$PYTHON_BIN" "$TOOLS/binarize.py" --corpus "$WORK/corpus" --encoder "$SYSTEM_encoder" \
  --codes "$SEGMENTATION/codes" --out "$SEGMENTATION/bin" --workers "$WORKERS"
