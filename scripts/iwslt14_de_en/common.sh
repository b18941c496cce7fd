# Sourced by every step of this recipe; the settings are those of scripts/recipes/common.sh, and
#   VALID  --valid N   pairs drawn from the training text for validation   default 6969, as the paper's
#   SYSTEM                 the row of systems.tsv (run.sh sets it)
RECIPE=iwslt14_de_en
RECIPE_OPTIONS=valid
DEVICES=1 # the paper's batch is one of 32 sentences; on several GPUs each takes its share
PAIR=de-en
BATCH=32
export SYSTEM="${SYSTEM:-}" VALID="${VALID:-6969}"
source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
source "$TOOLS/lstm_steps.sh"
corpus_settings() { echo "raw=$RAW lines=$MAX_PAIRS valid=$VALID"; }
