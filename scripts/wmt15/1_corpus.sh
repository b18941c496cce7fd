#!/usr/bin/env bash
# The releases' files, from the network or from --raw, become the pair's corpus; prints its sizes beside the
# paper's.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
wmt15_paths
say "1. corpus: WMT 2015, $PAIR"
case "$TARGET_LANGUAGE" in
  de) own=(training-parallel-europarl-v7.tgz) ;;
  ru) own=(1mcorpus.zip wiki-titles.tgz) ;;
esac
fetch training-parallel-commoncrawl.tgz training-parallel-nc-v10.tgz "${own[@]}" wmt13-test.tgz wmt15-test.tgz \
  --languages "$TARGET_LANGUAGE"
"$PYTHON_BIN" "$HERE/corpus.py" --pair "$PAIR" --raw "$WORK/raw" ${RAW:+"$RAW"} --out "$WORK/corpus" \
  ${MAX_PAIRS:+--lines "$MAX_PAIRS"} --workers "$WORKERS"
"$PYTHON_BIN" "$TOOLS/expect.py" "$HERE/expected_${PAIR/-/_}.tsv" --in "$WORK/corpus"
