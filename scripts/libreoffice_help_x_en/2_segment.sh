#!/usr/bin/env bash
# Learns the subwords, segments, and binarizes with one dictionary (see recipes/x_en.sh).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
segment_x_en
