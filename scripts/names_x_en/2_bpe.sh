#!/usr/bin/env bash
# Learns one byte-level BPE over all languages and both sides of the training text.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "2. byte-level BPE: $SYMBOLS symbols, 256 bytes among them, over all languages and both sides"
"$PYTHON_BIN" - "$WORK/corpus" "$WORK/bbpe" "$SYMBOLS" <<'PYTHON'
import sys
from pathlib import Path

from fairseq_subword_ext.subword.sentencepiece_trainer import train_sentencepiece_bytes

corpus, prefix, symbols = sys.argv[1:]
files = sorted(path for path in Path(corpus).glob("train.*-en.*"))
model = train_sentencepiece_bytes(files, prefix, int(symbols), num_workers=2)
print(f"{prefix}.model: {len(model.pieces)} symbols from {len(files)} files")
PYTHON
