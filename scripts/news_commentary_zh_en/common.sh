# Sourced by every step of this recipe; the settings are those of scripts/recipes/common.sh, and
#   RELEASE  --release v12|v14  of News Commentary                default v12, as the paper's
#   VALID    --valid N          pairs drawn for validation        default 3000, as the paper's
#   TEST     --test N           pairs drawn for the test          default 3000, as the paper's
#   SYSTEM                 the row of systems.tsv (run.sh sets it)
RECIPE=news_commentary_zh_en
RECIPE_OPTIONS="release valid test"
DEVICES=1 # the paper's batch is one of 64 sentences; on several GPUs each takes its share
PAIR=zh-en
BATCH=64
export SYSTEM="${SYSTEM:-}" RELEASE="${RELEASE:-v12}" VALID="${VALID:-3000}" TEST="${TEST:-3000}"
source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
source "$TOOLS/lstm_steps.sh"
COLUMNS_OF_TABLE=("beam10:test:--beam 10")
corpus_settings() { echo "raw=$RAW release=$RELEASE lines=$MAX_PAIRS valid=$VALID test=$TEST"; }
