#!/usr/bin/env bash
# Puts a finished model into one archive that from_pretrained loads, once unpacked, with nothing else:
# checkpoint, dictionary, codes with their JSON, configuration, scores, a README and MANIFEST.json with a
# SHA-256 for each file. ARCHIVE.sha256 is written beside it.
#
#   bash scripts/package_model.sh RUN... -o NAME.tar.gz
#   bash scripts/package_model.sh --checkpoint FILE... --data BIN --bpe NAME --codes FILE -o NAME.tar.gz
#
# RUN is the folder of a recipe's system, such as runs/ted58_x_en/systems/bbpe_4k_gru; several of one data
# set become an ensemble. The second form is for a model of your own. --help lists all options.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"
if [ -z "${PYTHON_BIN:-}" ]; then
  ensure_environment fairseq
  PYTHON_BIN="$VENV/bin/python"
fi
export PYTHONWARNINGS="${PYTHONWARNINGS:-ignore}"
export PYTHONPATH="$ROOT/scripts/recipes${PYTHONPATH:+:$PYTHONPATH}"
exec "$PYTHON_BIN" "$ROOT/scripts/packaging/package_model.py" "$@"
