#!/usr/bin/env bash
# Fetches the archive of TED talks and writes each language beside English; prints the paper's counts.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "1. TED talks"
fetch
"$PYTHON_BIN" "$HERE/ted_talks.py" --talks "$WORK/raw" --out "$WORK/corpus" \
  ${LANGUAGES:+--languages "$LANGUAGES"} ${MAX_PAIRS:+--train-lines "$MAX_PAIRS"}
say "data figures of Wang, Cho & Gu (2020)"
expect
