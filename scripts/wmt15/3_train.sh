#!/usr/bin/env bash
# Fairseq's lstm by the paper's settings. If run again, it resumes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
wmt15_paths
say "3. train $MODEL"
mapfile -t settings < <(training_settings)
train "$SYSTEM_config" "$DATA" "$MODEL_FOLDER" "${settings[@]}"
