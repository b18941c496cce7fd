#!/usr/bin/env bash
# Translates the test set and scores it against the raw reference.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
load_system "$SYSTEM"
data="$WORK/segmentations/$SYSTEM_segmentation" folder="$WORK/systems/$SYSTEM"
model="$folder/checkpoints/checkpoint_best.pt"
[ -n "$SYSTEM_config" ] || model="$PARENT_MODEL"
mkdir -p "$folder"
say "6. translate and score: $SYSTEM"
# shellcheck disable=SC2086 # several flags
generate "$data/bin" "$model" "$folder/test.out" --task multilingual_x_en --bpe-codes "$data/codes" \
  $SYSTEM_generate --max-tokens 8000
# The table has one column, BLEU.
subword score -r "$WORK/corpus/test.si-en.en" --set decoding=BLEU --json "$folder/score.json" "BLEU=$folder/test.out"
"$PYTHON_BIN" "$TOOLS/collect_scores.py" -o "$folder/scores.json" "detokenized=$folder/score.json"
