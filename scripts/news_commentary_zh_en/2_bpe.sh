#!/usr/bin/env bash
# Learns the merges of each side on its own.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "2. bpe: $SYSTEM_segmentation"
learn_pair
