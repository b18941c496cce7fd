#!/usr/bin/env bash
# Fairseq's lstm by the paper's schedule. If run again, it resumes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "4. train $SYSTEM"
train_system
