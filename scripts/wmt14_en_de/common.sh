# Sourced by every step of this recipe; the settings are those of scripts/recipes/common.sh, and
#   SYSTEM   the row of systems.tsv (run.sh sets it)
RECIPE=wmt14_en_de
export SYSTEM="${SYSTEM:-}"
source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
source "$TOOLS/pair_steps.sh"
PAIR=en-de
TEST_SETS=(newstest2014)
TOKENIZED=1
