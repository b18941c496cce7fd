#!/usr/bin/env bash
# The X-En text without a Sinhala character, and the byte-level BPE learned on it; binarized.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "2. parent: X-En text and its byte-level BPE"
mkdir -p "$PARENT"
rm -rf "$PARENT/corpus"
unseen_script select --corpus "$XEN" --child si --out "$PARENT/corpus" ${MAX_PAIRS:+--lines "$MAX_PAIRS"}
unseen_script check --what "the text that the BBPE is learned from" "$PARENT"/corpus/train.*
subword learn-bpe --unit byte --total-symbols -s 4096 -i "$PARENT"/corpus/train.* -o "$PARENT/codes"
unseen_script count --expected 77 "$WORK/corpus/train.si-en.si" # 77 by the paper
"$PYTHON_BIN" "$TOOLS/binarize.py" --corpus "$PARENT/corpus" --encoder bbpe --codes "$PARENT/codes" \
  --out "$PARENT/bin" --splits train,valid --workers "$WORKERS"
