#!/usr/bin/env bash
# Sennrich, Haddow & Birch 2016 on WMT 2015: from the raw files to Table 2 (English-German) and Table 3
# (English-Russian), one command per row.
#
#   bash scripts/wmt15/run.sh [OPTION...] SYSTEM...
#
# SYSTEM is a row of systems.tsv: en_de_ or en_ru_ with wunk, wdict, c2_3_500k, c2_50k, bpe_60k or bpe_j90k.
# Without SYSTEM it prints the tables of all results so far.
#
#   --seeds 1,2 --checkpoints 4   also the paper's ensemble of eight: the last four epochs of two runs
#   --seeds 1,2,3,4,5,6,7,8       also an ensemble of the best checkpoints of eight runs
#   --raw DIR    folder with the releases' files, as downloaded or unpacked (Yandex's is available on request)
#   --work DIR   folder of the run (default runs/wmt15 in the checkout)
#   --cpu, --updates N, --minutes N, --seed N, --lines N, --workers N, --generate FLAGS, --set KEY=VALUE,
#   --fresh:     as in scripts/recipes/common.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
recipe_options "$@"
case "$SEEDS" in *[!0-9,]*) die "--seeds: expected whole numbers with commas, found $SEEDS" ;; esac
check_systems
for SYSTEM in ${SYSTEMS[@]+"${SYSTEMS[@]}"}; do
  export SYSTEM
  wmt15_paths
  corpus="raw=$RAW lines=$MAX_PAIRS"
  step "corpus.$PAIR" "$corpus" bash "$HERE/1_corpus.sh"
  data="$corpus $SYSTEM_learn $SYSTEM_joint $SYSTEM_segment $SYSTEM_segment_target $SYSTEM_words $SYSTEM_words_target"
  step "segment.$SYSTEM_segmentation" "$data" bash "$HERE/2_segment.sh"
  training="$data config=$SYSTEM_config seed=$SEED set=${OVERRIDES//$'\n'/ }"
  SYSTEM="$MODEL" start_over_if_changed "$training"
  training="$training minutes=$MINUTES updates=$UPDATES"
  step "train.$MODEL" "$training" bash "$HERE/3_train.sh"
  [ -z "$SYSTEM_back_off" ] || step "back-off.$PAIR" "$data" make_back_off
  translation="$training generate=$SYSTEM_generate $GENERATE"
  step "translate.$SYSTEM" "$translation" bash "$HERE/4_translate.sh"
  [ -z "$SEEDS" ] || step "ensemble.$SYSTEM" "$translation seeds=$SEEDS $CHECKPOINTS" bash "$HERE/5_ensemble.sh"
done
bash "$HERE/6_tables.sh"
