#!/usr/bin/env bash
# 5_translate.sh SYSTEM: translates the test set greedily and with a beam of 10, and scores both.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
system_paths "$1"
say "5. translate and score $1"
translate_system
