#!/usr/bin/env bash
# The release's files, from the network or from --raw, become the Si-En corpus; prints its sizes beside
# the paper's.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "1. corpus: OPUS for training, FLoRes for validation and test"
fetch
"$PYTHON_BIN" "$HERE/build_corpus.py" --raw "$WORK/raw" --out "$WORK/unfiltered" ${MAX_PAIRS:+--lines "$MAX_PAIRS"}
# FLoRes leaves out training pairs of fewer than 6 or more than 250 pieces of its BPE of 5,000.
subword learn-bpe --total-symbols -s 5000 -i "$WORK/unfiltered"/train.si-en.* \
  -o "$WORK/unfiltered/bpe_5k.codes"
"$PYTHON_BIN" "$HERE/filter_lengths.py" --corpus "$WORK/unfiltered" --codes "$WORK/unfiltered/bpe_5k.codes" \
  --out "$WORK/corpus"
rm -rf "$WORK/unfiltered"
expect
