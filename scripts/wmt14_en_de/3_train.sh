#!/usr/bin/env bash
# Trains one system. Run again, it goes on where it was.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
system_paths
say "3. train: $SYSTEM"
train_pair
