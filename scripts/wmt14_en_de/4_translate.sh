#!/usr/bin/env bash
# Translates the test set with the checkpoint of the best validation loss, and scores it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "4. translate and score: $SYSTEM"
translate_pair
score_pair
