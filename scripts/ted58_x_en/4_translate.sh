#!/usr/bin/env bash
# Translates the test set and scores it for each language and over all.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
translate_x_en --moses
