# Sourced by every step of this recipe; the settings are those of scripts/recipes/common.sh, and
#   SYSTEM   the row of systems.tsv (run.sh sets it)
RECIPE=ted58_x_en
SYSTEM="${SYSTEM:-bbpe_4k_gru}"
source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
source "$TOOLS/x_en.sh"
