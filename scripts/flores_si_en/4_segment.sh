#!/usr/bin/env bash
# Segments and binarizes the Si-En text; the rows with byte-level BPE take the parent's codes and dictionary.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
load_system "$SYSTEM"
say "4. segment: $SYSTEM_segmentation"
folder="$WORK/segmentations/$SYSTEM_segmentation"
mkdir -p "$folder"
dictionary=()
if [ -n "$SYSTEM_learn" ]; then
  learn "$folder/codes" "$SYSTEM_learn" "$WORK"/corpus/train.si-en.*
else
  cp "$PARENT/codes" "$folder/codes"
  [ ! -f "$PARENT/codes.json" ] || cp "$PARENT/codes.json" "$folder/codes.json"
  dictionary=(--dictionary "$PARENT/bin/dict.txt")
fi
binarize "$folder" --codes "$folder/codes" ${dictionary[@]+"${dictionary[@]}"}
