# Sourced by every step of this recipe: settings and shared environment.
#
# Settings (environment variables):
#   WORK     folder of the run                           default runs/names_x_en in the checkout
#   SYMBOLS  byte-level symbols, including the 256 bytes  default 1024
#   TRAINER  native or sentencepiece                      default native
#   UPDATES  number of training updates                   default 1600: about seven minutes on two idle cores
#   MINUTES  maximum training time of one call            default none
#   SEED     seed of the training                         default 1
#   CPU      1 trains and translates on the CPU even if there is a GPU
#   LANGUAGES  codes separated by commas                  default the 34 of build_corpus.py
#   MAX_PAIRS  number of pairs per language to use        default all
#   GENERATE  more flags for fairseq-generate             default none
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
export PYTHONUNBUFFERED=1 PYTHONPATH="$TOOLS${PYTHONPATH:+:$PYTHONPATH}" # scripts import modules from there
# Hydra and fairseq warn about their own use of deprecated features, which users cannot fix.
export PYTHONWARNINGS="${PYTHONWARNINGS:-ignore}"
mkdir -p "$WORK"
case "$TRAINER" in
  native) CODES="$WORK/bbpe.codes" ;;
  sentencepiece) CODES="$WORK/bbpe.model" ;;
  *) die "TRAINER: expected native or sentencepiece, found $TRAINER" ;;
esac
