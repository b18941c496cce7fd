#!/usr/bin/env bash
# Translates the test sets with the checkpoint of the best validation loss, and scores each and all.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "4. translate and score: $SYSTEM"
translate_pair
score_pair
