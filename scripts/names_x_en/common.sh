# Sourced by every step of this recipe: the settings, and the shared environment.
#
# Settings (environment variables):
#   WORK     folder of the run                           default runs/names_x_en in the checkout
#   SYMBOLS  byte-level symbols, the 256 bytes included   default 1024
#   TRAINER  native, or sentencepiece for a model of it   default native
#   UPDATES  of the training                              default 1600: about seven minutes on two idle cores
#   MINUTES  cap on the training time of one call         default none
#   SEED     of the training                              default 1
#   CPU      1 keeps training and translation off a GPU
#   LANGUAGES  codes separated by commas                  default the 34 of build_corpus.py
#   MAX_PAIRS  use only so many pairs of each language      default all
#   GENERATE  further flags of fairseq-generate        default none
#   TRANSFER_UPDATES  updates of each run of step 6       default 200

source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
source "$ROOT/scripts/recipes/steps.sh" # step, cpu_flags
HERE="$ROOT/scripts/names_x_en" TOOLS="$ROOT/scripts/recipes"
WORK="${WORK:-$ROOT/runs/names_x_en}"
SYMBOLS="${SYMBOLS:-1024}"
TRAINER="${TRAINER:-native}"
UPDATES="${UPDATES:-1600}"
MINUTES="${MINUTES:-}"
SEED="${SEED:-1}"
CPU="${CPU:-}"
TRANSFER_UPDATES="${TRANSFER_UPDATES:-200}" GENERATE="${GENERATE:-}"
PYTHON_BIN="${PYTHON_BIN:-$VENV/bin/python}"
USER_DIR="$ROOT/fairseq_subword_ext"
export PYTHONUNBUFFERED=1 PYTHONPATH="$TOOLS${PYTHONPATH:+:$PYTHONPATH}" # scripts import what is there
# Hydra and fairseq warn of their own use of what is deprecated; nobody can act on it here.
export PYTHONWARNINGS="${PYTHONWARNINGS:-ignore}"
mkdir -p "$WORK"
case "$TRAINER" in
  native) CODES="$WORK/bbpe.codes" ;;
  sentencepiece) CODES="$WORK/bbpe.model" ;;
  *) die "TRAINER: expected native or sentencepiece, found $TRAINER" ;;
esac
