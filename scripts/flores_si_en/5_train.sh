#!/usr/bin/env bash
# Trains one system; if run again, it resumes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
load_system "$SYSTEM"
if [ -z "$SYSTEM_config" ]; then
  say "5. $SYSTEM: nothing to train, the parent is taken as it is"
  exit
fi
say "5. train $SYSTEM"
start=()
[ "$SYSTEM_start" != parent ] || start=("task.parent_checkpoint=$PARENT_MODEL")
train "$SYSTEM_config" "$WORK/segmentations/$SYSTEM_segmentation/bin" "$WORK/systems/$SYSTEM" ${start[@]+"${start[@]}"}
