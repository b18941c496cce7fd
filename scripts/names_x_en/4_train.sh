#!/usr/bin/env bash
# Trains a small Transformer with Bi-GRU contextualized embeddings for UPDATES updates, or at most MINUTES
# minutes. If run again, it resumes from the last checkpoint. fairseq-train's output is in train.log.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
device="$(cpu_flags)"
last="$WORK/checkpoints/checkpoint_last.pt" log="$WORK/train.log" cap=()
if [ -n "$MINUTES" ]; then
  # Fairseq counts the time of all runs together, but the limit is for this run.
  before=0
  [ ! -f "$last" ] || before="$("$PYTHON_BIN" -c '
import sys
import fairseq_subword_ext, torch
fairseq_subword_ext.register()
state = torch.load(sys.argv[1], map_location="cpu", weights_only=True, mmap=True)
print(state["extra_state"].get("previous_training_time", 0))' "$last" 2> /dev/null)" \
    || die "$last cannot be read: --fresh starts over"
  cap=(--stop-time-hours "$("$PYTHON_BIN" -c "print($before / 3600 + $MINUTES / 60)")")
fi
say "4. train for $UPDATES updates${MINUTES:+, at most $MINUTES minutes} ($device), see $log"
# Two or three epochs need little regularization, and the dropout masks of attention and activations would take
# a tenth of the time on a CPU.
command=("$PYTHON_BIN" -m fairseq_cli.train "$WORK/bin" --user-dir "$USER_DIR"
  --task multilingual_x_en --arch contextualized_transformer_tiny --share-all-embeddings
  --criterion label_smoothed_cross_entropy --label-smoothing 0.1
  --optimizer adam --adam-betas '(0.9, 0.98)'
  --lr 4e-3 --lr-scheduler inverse_sqrt --warmup-updates 300
  --dropout 0.1 --attention-dropout 0 --activation-dropout 0
  --max-tokens 4000 --seed "$SEED" --max-update "$UPDATES" ${cap[@]+"${cap[@]}"}
  --save-dir "$WORK/checkpoints" --keep-last-epochs 1 --save-interval-updates 200
  --keep-interval-updates 1 --log-format simple --log-interval 10 $device)
trap 'exit 130' INT # runs after training has ended; an interrupt is not a failure
printf '%q ' "${command[@]}" >&2
echo >&2
"${command[@]}" 2>&1 | "$PYTHON_BIN" "$HERE/train_progress.py" --updates "$UPDATES" --log "$log" \
  --kept "$WORK/checkpoints/updates" ${MINUTES:+--seconds "$("$PYTHON_BIN" -c "print($MINUTES * 60)")"} \
  || { tail -n 5 "$log" >&2; die "training failed, see $log"; }
