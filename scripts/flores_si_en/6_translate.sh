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
# shellcheck disable=SC2046,SC2086 # several flags
"$PYTHON_BIN" -m fairseq_cli.generate "$data/bin" --user-dir "$USER_DIR" --task multilingual_x_en \
  --path "$model" --bpe "$SYSTEM_encoder" --bpe-codes "$data/codes" $SYSTEM_generate \
  --max-tokens 8000 $(cpu_flags) > "$folder/.test.out"
mv "$folder/.test.out" "$folder/test.out"
# The table has one column, BLEU.
subword score -r "$WORK/corpus/test.si-en.en" --set decoding=BLEU --json "$folder/score.json" "BLEU=$folder/test.out"
"$PYTHON_BIN" "$TOOLS/collect_scores.py" -o "$folder/scores.json" "detokenized=$folder/score.json"
