#!/usr/bin/env bash
# The release's files, from the network or from --raw, become the paper's corpus; prints its sizes beside
# the paper's.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "1. corpus: News Commentary $RELEASE, Chinese-English"
case "$RELEASE" in
  v12) file=training-parallel-nc-v12.tgz ;;
  v14) file=news-commentary-v14.en-zh.tsv.gz ;;
  *) die "--release: expected v12 or v14, found $RELEASE" ;;
esac
mkdir -p "$WORK/raw"
# A tab-separated file of any release may be given, unpacked or not.
if [ -z "$RAW" ] || ! compgen -G "$RAW/news-commentary-$RELEASE.*.tsv*" > /dev/null; then
  fetch "$file"
fi
"$PYTHON_BIN" "$HERE/corpus.py" --raw "$WORK/raw" ${RAW:+"$RAW"} --release "$RELEASE" \
  --out "$WORK/corpus" --valid "$VALID" --test "$TEST" ${MAX_PAIRS:+--lines "$MAX_PAIRS"} --workers "$WORKERS"
expect
