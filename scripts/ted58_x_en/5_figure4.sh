#!/usr/bin/env bash
# Figure 4 of what was trained: translates the validation set with every system, scores it, prints the
# figure's numbers and, where FIGURE4 says so, draws it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "5. Figure 4, on the validation set"
score_valid() { # BLEU on tokens over all languages, as the paper's
  local folder="$WORK/systems/$SYSTEM" language lines
  generate_x_en valid "$folder/valid_ids.tsv"
  while IFS=$'\t' read -r language _ lines; do
    [ "$lines" = 0 ] || cat "$WORK/corpus/valid.$language-en.en"
  done < "$folder/valid_ids.tsv" > "$folder/.valid.en"
  subword score -r "$folder/.valid.en" --tokenize none --set "vocabulary=$SYSTEM_vocabulary" \
    --set "context=$SYSTEM_context" --json "$folder/valid.json" "$SYSTEM=$folder/valid.out" > /dev/null
  rm "$folder/.valid.en"
}
for SYSTEM in $(list_systems); do
  best="$WORK/systems/$SYSTEM/checkpoints/checkpoint_best.pt"
  [ -e "$best" ] || continue
  step "figure4.$SYSTEM" "$(stat -c '%Y %s' "$best")" score_valid
done
"$PYTHON_BIN" "$HERE/figure4.py" "$HERE/systems.tsv" --work "$WORK" ${FIGURE4:+--draw "$FIGURE4"}
