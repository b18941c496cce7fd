#!/usr/bin/env bash
# Segments and binarizes the Si-En text; the rows with byte-level BPE take the parent's codes and dictionary.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
load_system "$SYSTEM"
folder="$WORK/segmentations/$SYSTEM_segmentation"
mkdir -p "$folder"
dictionary=()
if [ -n "$SYSTEM_learn" ]; then
  say "4. learn-bpe $SYSTEM_learn"
  # shellcheck disable=SC2086 # several flags
  subword learn-bpe $SYSTEM_learn -i "$WORK"/corpus/train.si-en.* -o "$folder/codes"
else
  cp "$PARENT/codes" "$folder/codes"
  [ ! -f "$PARENT/codes.json" ] || cp "$PARENT/codes.json" "$folder/codes.json"
  dictionary=(--dictionary "$PARENT/bin/dict.txt")
fi
say "4. segment and binarize: $SYSTEM_encoder"
"$PYTHON_BIN" "$TOOLS/binarize.py" --corpus "$WORK/corpus" --encoder "$SYSTEM_encoder" \
  --codes "$folder/codes" ${dictionary[@]+"${dictionary[@]}"} --out "$folder/bin" --workers "$WORKERS"
