#!/usr/bin/env bash
# Learns the subwords of both sides together, segments, and binarizes with one dictionary.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "2. segment: $SYSTEM_segmentation"
learn_pair
binarize_pair
