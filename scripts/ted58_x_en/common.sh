# Sourced by every step of this recipe; the settings are those of scripts/recipes/common.sh, and
#   FIGURE4  --figure4 PREFIX  draw Figure 4 into PREFIX.png and PREFIX.svg
#   SYSTEM   the row of systems.tsv (run.sh sets it)
RECIPE=ted58_x_en
RECIPE_OPTIONS=figure4
EXTRAS=fairseq,recipes,plots
export FIGURE4="${FIGURE4:-}"
SYSTEM="${SYSTEM:-bbpe_4k_gru}"
source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
source "$TOOLS/x_en.sh"
