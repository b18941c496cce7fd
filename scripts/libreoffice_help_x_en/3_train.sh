#!/usr/bin/env bash
# Trains one system. If run again, it resumes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
train_x_en
