#!/usr/bin/env bash
# Trains a small Transformer with Bi-GRU contextualized embeddings. Run again, it goes on where it
# was, until the time (MINUTES, all runs together) is used up.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
hours="$("$PYTHON_BIN" -c "print($MINUTES / 60)")"
device="$(cpu_flags)"
say "4. train for $MINUTES minutes ($device)"
# Two or three epochs are all that the time gives, so that little has to be regularized; drawing the
# dropout masks of attention and activations alone takes a tenth of the time on a CPU.
set -x
"$PYTHON_BIN" -m fairseq_cli.train "$WORK/bin" --user-dir "$USER_DIR" \
  --task multilingual_x_en --arch contextualized_transformer_tiny --share-all-embeddings \
  --criterion label_smoothed_cross_entropy --label-smoothing 0.1 \
  --optimizer adam --adam-betas '(0.9, 0.98)' \
  --lr 4e-3 --lr-scheduler inverse_sqrt --warmup-updates 300 \
  --dropout 0.1 --attention-dropout 0 --activation-dropout 0 \
  --max-tokens 4000 --seed "$SEED" --stop-time-hours "$hours" ${UPDATES:+--max-update "$UPDATES"} \
  --save-dir "$WORK/checkpoints" --keep-last-epochs 1 --save-interval-updates 200 \
  --keep-interval-updates 1 --log-format simple --log-interval 50 $device
