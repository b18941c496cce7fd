#!/usr/bin/env bash
# Trains the X-En model that the children start from. If run again, it resumes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "3. train the parent, T_flores on X-En"
unseen_script check --what "the parent's training and validation data" "$PARENT"/corpus/*
UPDATES="$PARENT_UPDATES" MINUTES= train parent "$PARENT/bin" "$PARENT"
