#!/usr/bin/env bash
# Trains one system. Run again, it goes on where it was.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
load_system "$SYSTEM"
say "3. train $SYSTEM"
train "$SYSTEM_config" "$WORK/segmentations/$SYSTEM_segmentation/bin" "$WORK/systems/$SYSTEM"
