#!/usr/bin/env bash
# Translates the test set with one model, the checkpoint of the best validation loss, and scores it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
wmt15_paths
say "4. translate and score $SYSTEM"
translate_column single "$MODEL_FOLDER/checkpoints/checkpoint_best.pt"
score_wmt15
