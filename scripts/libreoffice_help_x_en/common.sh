# Sourced by every step of this recipe; the settings are those of scripts/recipes/common.sh, and
#   CORPUS   --corpus DIR  a corpus that is ready: SPLIT.xx-en.xx and SPLIT.xx-en.en
#   SYSTEM                 the row of systems.tsv (run.sh sets it)
RECIPE=libreoffice_help_x_en
RECIPE_OPTIONS=corpus
CORPUS="${CORPUS:-}"
SYSTEM="${SYSTEM:-bbpe_2k_gru}"
DEVICES=1
source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
source "$TOOLS/x_en.sh"
