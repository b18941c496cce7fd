#!/usr/bin/env bash
# Translates the test set greedily and with a beam of 10, and scores both.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "5. translate and score $SYSTEM"
translate_system
