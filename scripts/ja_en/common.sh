# Sourced by every step of this recipe; the settings are those of scripts/recipes/common.sh, and
#   SYSTEM   the row of systems.tsv (run.sh sets it)
RECIPE=ja_en
export SYSTEM="${SYSTEM:-}"
source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
source "$TOOLS/pair_steps.sh"
PAIR=ja-en
TEST_SETS=(kftt ted jesc)
