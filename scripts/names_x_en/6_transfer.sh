#!/usr/bin/env bash
# Transfers the model of step 4 to Sinhala, which it has never seen: scores the unchanged model, the model
# fine-tuned in four ways, and a new model, each trained for the same number of updates.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$ROOT/scripts/transfer_study/child.sh"
device="$(cpu_flags)"
say "6. transfer to Sinhala ($TRANSFER_UPDATES updates each)"
unseen=("$PYTHON_BIN" "$ROOT/scripts/transfer_study/unseen_script.py" --characters 0D80-0DFF)
"${unseen[@]}" check --what "the parent's training and validation data" "$WORK"/corpus/{train,valid}.*
"${unseen[@]}" check --what "the text that the BBPE was learned from" "$WORK"/corpus/train.*

corpus="$WORK/corpus/transfer" child=si extra=() codes="$CODES" runs="$WORK/transfer"
parent_dict="$WORK/bin/dict.txt" parent_model="$WORK/checkpoints/checkpoint_best.pt"
rows=zero-shot,enc,enc+dec,embed+enc,all,scratch seeds="$SEED" arch=contextualized_transformer_tiny
updates="$TRANSFER_UPDATES" lr=4e-3 warmup=100 finetune_lr=1e-3 finetune_warmup=100 dropout=0.1 max_tokens=4000
children
