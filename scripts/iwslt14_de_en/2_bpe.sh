#!/usr/bin/env bash
# Learns its merges on the union of both sides, as the paper does.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "2. bpe: $SYSTEM_segmentation"
learn_pair
