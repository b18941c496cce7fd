#!/usr/bin/env bash
# Segments the corpus and binarizes it with one dictionary for both sides.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "3. segment and binarize"
binarize_pair
