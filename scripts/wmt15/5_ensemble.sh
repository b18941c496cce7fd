#!/usr/bin/env bash
# Trains the other models of the ensemble, translates with all of them, and scores.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
wmt15_paths
say "5. ensemble: seeds $SEEDS, $CHECKPOINTS of each"
ensemble="$WORK/ensembles/$MODEL"
# Models of other data, or of another configuration, are none of this ensemble's.
if ! cmp -s "$MODEL_FOLDER/made-for" "$ensemble/made-for"; then
  rm -rf "$ensemble"
  mkdir -p "$ensemble"
  cp "$MODEL_FOLDER/made-for" "$ensemble/made-for"
fi
settings=()
while IFS= read -r setting; do settings+=(--set "$setting"); done < <(training_settings)
bash "$ROOT/scripts/baselines/ensemble.sh" --work "$ensemble" --data "$DATA" \
  --config "$CONFIGS/$SYSTEM_config.yaml" --update-freq "${UPDATE_FREQ:-1}" "${settings[@]}" \
  --seeds "$SEEDS" --checkpoints "$CHECKPOINTS" --trained "$SEED=$MODEL_FOLDER" --translate no
translate_column ensemble "$(tail -n +2 "$ensemble/ensemble/models.tsv" | cut -f2 | paste -sd:)"
score_wmt15
