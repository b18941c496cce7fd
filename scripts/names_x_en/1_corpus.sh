#!/usr/bin/env bash
# Builds the corpus of names from the PyPI packages pycountry and Babel.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "1. corpus: names of languages, countries, regions, scripts, currencies and cities"
"$PYTHON_BIN" "$HERE/build_corpus.py" --out "$WORK/corpus" \
  ${LANGUAGES:+--languages "$LANGUAGES"}
if [ -n "${MAX_PAIRS:-}" ]; then
  say "keeping the first $MAX_PAIRS pairs of each file"
  for file in "$WORK"/corpus/*-en.*; do
    head -n "$MAX_PAIRS" "$file" > "$WORK/.lines"
    mv "$WORK/.lines" "$file"
  done
fi
