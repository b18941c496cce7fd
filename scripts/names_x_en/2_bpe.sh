#!/usr/bin/env bash
# Learns a joint byte-level BPE on all languages and both sides of the training text.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "2. byte-level BPE: $SYMBOLS symbols, including the 256 bytes, on all languages and both sides"
"$PYTHON_BIN" -m fairseq_subword_ext learn-bpe --unit byte --total-symbols -s "$SYMBOLS" \
  --trainer "$TRAINER" -i "$WORK"/corpus/train.*-en.* -o "$CODES"
