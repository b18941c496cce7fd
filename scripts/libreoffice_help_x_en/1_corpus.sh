#!/usr/bin/env bash
# Builds the corpus: from a ready one (CORPUS), from help folders (RAW), or from Debian's packages.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if [ -n "$CORPUS" ]; then
  say "1. corpus: $CORPUS"
  "$PYTHON_BIN" "$TOOLS/copy_corpus.py" --corpus "$CORPUS" --out "$WORK/corpus" \
    ${LANGUAGES:+--languages "$LANGUAGES"} ${MAX_PAIRS:+--train-lines "$MAX_PAIRS"}
  exit
fi
folder="$RAW"
if [ -z "$RAW" ]; then
  [ -n "$LANGUAGES" ] || die "give --languages, such as --languages de,dz,hi,ja (or --raw or --corpus): one package is fetched for each"
  say "1. packages libreoffice-help-LANG"
  folder="$WORK/raw"
  fetch --languages "$(printf %s "$LANGUAGES" | tr _ -)"
fi
say "1. corpus: help pages in $folder"
"$PYTHON_BIN" "$HERE/build_corpus.py" "$folder" --out "$WORK/.built" --workers "$WORKERS" \
  ${LANGUAGES:+--languages "$LANGUAGES"}
"$PYTHON_BIN" "$TOOLS/copy_corpus.py" --corpus "$WORK/.built" --out "$WORK/corpus" ${MAX_PAIRS:+--train-lines "$MAX_PAIRS"}
rm -rf "$WORK/.built"
