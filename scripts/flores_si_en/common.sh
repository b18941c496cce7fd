# Sourced by every step of this recipe; the settings are those of scripts/recipes/common.sh, and
#   XEN             --xen DIR            the X-En corpus: SPLIT.xx-en.xx and SPLIT.xx-en.en
#   PARENT_UPDATES  --parent-updates N   stop training the parent after so many updates
#   SYSTEM                               the row of systems.tsv (run.sh sets it)
RECIPE=flores_si_en
RECIPE_OPTIONS="xen parent-updates"
DEVICES=4
export XEN="${XEN:-}" PARENT_UPDATES="${PARENT_UPDATES:-}" SYSTEM="${SYSTEM:-}"
source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
CHARACTERS=0D80-0DFF # Sinhala
PARENT="$WORK/parent"
PARENT_MODEL="$PARENT/checkpoints/checkpoint_best.pt"
unseen_script() {
  "$PYTHON_BIN" "$ROOT/scripts/transfer_study/unseen_script.py" --characters "$CHARACTERS" "$@"
}
