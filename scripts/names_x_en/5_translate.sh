#!/usr/bin/env bash
# Translates the two test sets and scores them against the raw text.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
device="$(cpu_flags)"
for set in test:test test1:test_seen; do
  subset="${set%%:*}" name="${set##*:}"
  say "5. translate and score: $name"
  "$PYTHON_BIN" -m fairseq_cli.generate "$WORK/bin" --user-dir "$USER_DIR" --task multilingual_x_en \
    --gen-subset "$subset" --path "$WORK/checkpoints/checkpoint_best.pt" \
    --bpe bbpe --bpe-codes "$CODES" --scoring sacrebleu --beam 5 --max-tokens 8000 $device $GENERATE \
    > "$WORK/.$name.out" 2> "$WORK/$name.log" \
    || { tail -n 5 "$WORK/$name.log" >&2; die "translating failed, see $WORK/$name.log"; }
  mv "$WORK/.$name.out" "$WORK/$name.out"
  "$PYTHON_BIN" "$HERE/score.py" --system "$WORK/$name.out" --corpus "$WORK/corpus" --split "$name" \
    --json "$WORK/$name.json"
done
