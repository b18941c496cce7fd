# Sourced, after common.sh, by the recipes of Wu & Zhao 2018: what the two corpora have in common beyond
# pair_steps.sh.
#
# The recipe sets PAIR (de-en) and BATCH (sentences an update). Its steps 1 to 6 are: corpus, bpe, binarize,
# train, translate, tables.

source "$TOOLS/pair_steps.sh"
TOKENIZED=1
COLUMNS_OF_TABLE=("greedy:test:--beam 1" "beam10:test:--beam 10")

# run_recipe CORPUS_SETTINGS : everything that run.sh was asked for; without a system, all codes.
run_recipe() {
  local corpus="$1"
  check_systems
  step corpus "$corpus" bash "$HERE/1_corpus.sh"
  if [ "${#SYSTEMS[@]}" -eq 0 ]; then
    for SYSTEM in $(list_systems); do learn_system "$corpus"; done
  fi
  for SYSTEM in ${SYSTEMS[@]+"${SYSTEMS[@]}"}; do
    learn_system "$corpus"
    step "binarize.$SYSTEM_segmentation" "$DATA_SETTINGS" bash "$HERE/3_binarize.sh"
    run_training "$DATA_SETTINGS" 4_train.sh 5_translate.sh
  done
  bash "$HERE/6_tables.sh"
}

# learn_system CORPUS_SETTINGS : SYSTEM's codes.
learn_system() {
  export SYSTEM
  system_paths
  DATA_SETTINGS="$1 $SYSTEM_learn ${SYSTEM_learn_target:-}"
  step "bpe.$SYSTEM_segmentation" "$DATA_SETTINGS" bash "$HERE/2_bpe.sh"
}

# train_system : an update has BATCH sentences on any number of GPUs.
train_system() { train_pair "$(batch_of "$BATCH")"; }

# translate_system : for each column, greedily and with a beam of 10; the notes are for the paper's Figures 1
# and 3, `score --load ... --plot-merges`.
translate_system() {
  NOTES=("measure=$SYSTEM_across" "merges=$(sed -n 's/^-s \([0-9]*\).*/\1/p' <<< "$SYSTEM_learn")")
  translate_pair
  score_pair
}

# test_significance : the sign test (Collins et al. 2005) of each system against its baseline, of those that are translated.
test_significance() {
  local system name output baseline
  mkdir -p "$WORK/significance"
  for system in $(list_systems); do
    load_system "$system"
    for name in $(list_columns); do
      output="$WORK/systems/$system/$name.out"
      baseline="$WORK/systems/${SYSTEM_baseline:--}/$name.out"
      [ -e "$output" ] && [ -e "$baseline" ] || continue
      subword score -r "$WORK/corpus/test.$PAIR.en" --tokenize none --significance sign-corpus \
        --json "$WORK/significance/$system.$name.json" \
        "$SYSTEM_baseline=$baseline" "$system=$output" > "$WORK/significance/$system.$name.txt"
    done
  done
}
