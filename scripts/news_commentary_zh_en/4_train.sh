#!/usr/bin/env bash
# 4_train.sh SYSTEM: Fairseq's lstm by the paper's schedule. Run again, it goes on where it was.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
system_paths "$1"
say "4. train $1"
train_system
