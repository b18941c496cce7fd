#!/usr/bin/env bash
# Learns the merges of each side on its own.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "2. learn-bpe $SYSTEM_learn (zh), $SYSTEM_learn_target (en)"
subword learn-bpe $SYSTEM_learn -i "$WORK/corpus/train.$PAIR.zh" --num-workers "$WORKERS" \
  -o "$SEGMENTATION/codes"
subword learn-bpe $SYSTEM_learn_target -i "$WORK/corpus/train.$PAIR.en" --num-workers "$WORKERS" \
  -o "$TARGET_CODES"
