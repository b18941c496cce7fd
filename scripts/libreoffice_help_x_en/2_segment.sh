#!/usr/bin/env bash
# Learns the subwords over all languages and both sides, segments, and binarizes with one dictionary.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
load_system "$SYSTEM"
folder="$WORK/segmentations/$SYSTEM_segmentation"
mkdir -p "$folder"
codes=()
if [ -n "$SYSTEM_learn" ]; then
  say "2. learn-bpe $SYSTEM_learn"
  # shellcheck disable=SC2086 # several flags
  subword learn-bpe $SYSTEM_learn -i "$WORK"/corpus/train.*-en.* -o "$folder/codes"
  codes=(--codes "$folder/codes")
fi
say "2. segment and binarize: $SYSTEM_encoder"
"$PYTHON_BIN" "$TOOLS/binarize.py" --corpus "$WORK/corpus" --encoder "$SYSTEM_encoder" \
  ${codes[@]+"${codes[@]}"} --out "$folder/bin" --workers "$WORKERS"
