#!/usr/bin/env bash
# Trains one system. If run again, it resumes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "3. train: $SYSTEM"
train_pair
