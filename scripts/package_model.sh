#!/usr/bin/env bash
# Puts a finished model into one archive that from_pretrained loads, once unpacked, with nothing else:
# checkpoint, dictionary, codes with their JSON, configuration, scores, a README and MANIFEST.json with a
# SHA-256 for each file. NAME.tar.gz.sha256 is written beside it.
#
#   bash scripts/package_model.sh RUN... -o NAME.tar.gz
#   bash scripts/package_model.sh --checkpoint FILE... --data BIN --bpe NAME --codes FILE -o NAME.tar.gz
#
# RUN is the folder of a recipe's system, such as runs/ted58_x_en/systems/bbpe_4k_gru; several of one data
# set, or several --checkpoint, become an ensemble. The second form is for a model of your own.
#
#   -o NAME.tar.gz      the archive; it unpacks to a folder NAME
#   --recipe NAME       of RUN, where its folder does not say it
#   --data BIN          binarized data with the dictionaries (default: what the checkpoint was trained on)
#   --bpe NAME          Fairseq's --bpe; none for text that is segmented before Fairseq sees it
#   --codes FILE        for generalized_bpe and bbpe; --target-codes FILE where the target side has its own
#   --bpe-option KEY=VALUE   a further option of the encoder, such as bpe_separator=_
#   --generate FLAGS    of fairseq-generate, for translate()
#   --scores FILE...    JSON files of scores
#   --add FILE...       what else is needed with the model
#   --keep-optimizer    for training on; else the optimizer's state is left out
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"
# Before anything is installed.
case " $* " in *" -h "* | *" --help "*) script_help; exit 0 ;; esac
if [ -z "${PYTHON_BIN:-}" ]; then
  ensure_environment fairseq
  PYTHON_BIN="$VENV/bin/python"
fi
export PYTHONWARNINGS="${PYTHONWARNINGS:-ignore}"
export PYTHONPATH="$ROOT/scripts/recipes${PYTHONPATH:+:$PYTHONPATH}"
exec "$PYTHON_BIN" "$ROOT/scripts/packaging/package_model.py" "$@"
