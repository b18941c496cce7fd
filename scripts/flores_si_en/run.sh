#!/usr/bin/env bash
# Transfer to Sinhala-English by Wang, Cho & Gu 2020, Table 8: from the raw files to the table, one command per
# row.
#
#   bash scripts/flores_si_en/run.sh --xen DIR [OPTION...] SYSTEM...
#
# SYSTEM is a row of systems.tsv: bpe_5k and bbpe_4k_gru are trained from scratch; zero_shot is the X-En
# model unchanged; enc, enc_dec, embed_enc and all are that model with those parts fine-tuned.
# Without SYSTEM it makes the corpus and prints the table of all results so far.
#
#   --xen DIR            X-En text, SPLIT.xx-en.xx and SPLIT.xx-en.en, such as runs/ted58_x_en/corpus; the
#                        parent is trained on it, once. Only bpe_5k does not need it
#   --raw DIR            folder with the FLoRes and OPUS files; nothing is then downloaded
#   --parent-updates N   stop training the parent after N updates (default as in its configuration)
#   --work DIR           folder of the run (default runs/flores_si_en in the checkout)
#   --cpu, --updates N, --minutes N, --seed N, --lines N, --workers N, --set KEY=VALUE, --fresh:
#                        as in scripts/recipes/common.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# Relative folders are relative to the current one.
recipe_options "$@"
[ -z "$XEN" ] || { [ -d "$XEN" ] && XEN="$(cd "$XEN" && pwd)"; } || die "--xen $XEN: no such folder"
for SYSTEM in ${SYSTEMS[@]+"${SYSTEMS[@]}"}; do
  load_system "$SYSTEM" # a wrong name stops here
  [ "$SYSTEM_segmentation" = bpe_5k ] || [ -n "$XEN" ] || [ -d "$PARENT/bin" ] \
    || die "$SYSTEM needs --xen DIR: its subwords are learned on X-En text"
done

corpus="raw=$RAW lines=$MAX_PAIRS"
parent="xen=$XEN lines=$MAX_PAIRS"
step corpus "$corpus" bash "$HERE/1_corpus.sh"
for SYSTEM in ${SYSTEMS[@]+"${SYSTEMS[@]}"}; do
  load_system "$SYSTEM"
  data="$corpus" train="seed=$SEED minutes=$MINUTES updates=$UPDATES set=${OVERRIDES//$'\n'/ }"
  if [ "$SYSTEM_segmentation" != bpe_5k ]; then
    step parent-data "$parent" bash "$HERE/2_parent_data.sh"
    data="$corpus $parent"
  fi
  if [ "$SYSTEM_start" = parent ]; then
    step parent-train "$parent seed=$SEED updates=$PARENT_UPDATES" bash "$HERE/3_parent_train.sh"
    data="$data parent_updates=$PARENT_UPDATES"
  fi
  step "segment.$SYSTEM_segmentation" "$data" bash "$HERE/4_segment.sh"
  step "train.$SYSTEM" "$data $train" bash "$HERE/5_train.sh"
  step "translate.$SYSTEM" "$data $train" bash "$HERE/6_translate.sh"
done
"$PYTHON_BIN" "$TOOLS/table.py" "$HERE/systems.tsv" --work "$WORK"
