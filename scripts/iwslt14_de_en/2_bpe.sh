#!/usr/bin/env bash
# Learns its merges on the union of both sides, as the paper does.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "2. learn-bpe $SYSTEM_learn"
subword learn-bpe $SYSTEM_learn -i "$WORK/corpus/train.$PAIR.de" "$WORK/corpus/train.$PAIR.en" \
  --num-workers "$WORKERS" -o "$SEGMENTATION/codes"
