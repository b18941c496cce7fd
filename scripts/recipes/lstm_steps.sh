# Sourced, after common.sh, by the recipes of Wu & Zhao 2018: what the two corpora have in common.
#
# The recipe sets PAIR (de-en) and BATCH (sentences an update). Its steps 1 to 6 are: corpus, bpe, binarize,
# train, translate, tables.

DECODINGS=(greedy:1 beam10:10) # the table's column : the beam

# system_paths : the row of SYSTEM in systems.tsv, and where its files lie.
system_paths() {
  load_system "$SYSTEM"
  SEGMENTATION="$WORK/segmentations/$SYSTEM_segmentation"
  SYSTEM_FOLDER="$WORK/systems/$SYSTEM"
  TARGET_CODES="$SEGMENTATION/codes${SYSTEM_learn_target:+.target}"
  mkdir -p "$SEGMENTATION"
}

# run_recipe CORPUS_SETTINGS : everything that run.sh was asked for; without a system, all codes.
run_recipe() {
  local corpus="$1" system
  for system in ${SYSTEMS[@]+"${SYSTEMS[@]}"}; do load_system "$system"; done # a wrong name stops here
  step corpus "$corpus" bash "$HERE/1_corpus.sh"
  if [ "${#SYSTEMS[@]}" -eq 0 ]; then
    for system in $(list_systems); do
      export SYSTEM="$system"
      learn_system "$corpus"
    done
  fi
  for system in ${SYSTEMS[@]+"${SYSTEMS[@]}"}; do
    export SYSTEM="$system"
    run_system "$corpus"
  done
  bash "$HERE/6_tables.sh"
}

list_systems() { "$PYTHON_BIN" "$TOOLS/systems.py" "$HERE/systems.tsv" | cut -f1; }

# learn_system CORPUS_SETTINGS : SYSTEM's codes.
learn_system() {
  system_paths
  DATA_SETTINGS="$1 $SYSTEM_learn ${SYSTEM_learn_target:-}"
  step "bpe.$SYSTEM_segmentation" "$DATA_SETTINGS" bash "$HERE/2_bpe.sh"
}

# run_system CORPUS_SETTINGS : all steps of SYSTEM, from the corpus to its scores.
run_system() {
  local training
  learn_system "$1"
  step "binarize.$SYSTEM_segmentation" "$DATA_SETTINGS" bash "$HERE/3_binarize.sh"
  training="$DATA_SETTINGS config=$SYSTEM_config seed=$SEED set=${OVERRIDES//$'\n'/ }"
  start_over_if_changed "$training"
  training="$training minutes=$MINUTES updates=$UPDATES"
  step "train.$SYSTEM" "$training" bash "$HERE/4_train.sh"
  step "translate.$SYSTEM" "$training" bash "$HERE/5_translate.sh"
}

# train_system : an update sees BATCH sentences, whatever the number of GPUs.
train_system() {
  local gpus
  gpus="$(count_gpus)"
  train "$SYSTEM_config" "$SEGMENTATION/bin/$PAIR" "$SYSTEM_FOLDER" \
    "dataset.batch_size=$((BATCH / (gpus ? gpus : 1)))"
}

# translate_system : greedy and with a beam of 10; BLEU on tokens, as the paper's, and on running text.
translate_system() {
  local decoding name device tokenized=() detokenized=() notes=()
  device="$(cpu_flags)"
  for decoding in "${DECODINGS[@]}"; do
    name="${decoding%%:*}"
    "$PYTHON_BIN" -m fairseq_cli.generate "$SEGMENTATION/bin/$PAIR" --user-dir "$USER_DIR" \
      --source-lang "${PAIR%-*}" --target-lang en --gen-subset test \
      --path "$SYSTEM_FOLDER/checkpoints/checkpoint_best.pt" \
      --bpe "$SYSTEM_encoder" --bpe-codes "$TARGET_CODES" --beam "${decoding##*:}" \
      $SYSTEM_generate --batch-size 64 --required-batch-size-multiple 1 $device > "$SYSTEM_FOLDER/.$name.out"
    mv "$SYSTEM_FOLDER/.$name.out" "$SYSTEM_FOLDER/$name.out"
    "$PYTHON_BIN" "$TOOLS/moses.py" detokenize -l en --workers "$WORKERS" \
      -i "$SYSTEM_FOLDER/$name.out" -o "$SYSTEM_FOLDER/$name.txt"
    tokenized+=("$SYSTEM.$name=$SYSTEM_FOLDER/$name.out")
    detokenized+=("$SYSTEM.$name=$SYSTEM_FOLDER/$name.txt")
    notes+=(--set "$SYSTEM.$name:decoding=$name")
  done
  # For `score --load ... --plot-merges`: the paper's Figures 1 and 3.
  notes+=(--set "measure=$SYSTEM_across" --set "merges=$(sed -n 's/^-s \([0-9]*\).*/\1/p' <<< "$SYSTEM_learn")")
  say "$SYSTEM_row: tokenized, as the paper's BLEU"
  subword score -r "$WORK/corpus/test.$PAIR.en" --tokenize none \
    --json "$SYSTEM_FOLDER/tokenized.json" "${notes[@]}" "${tokenized[@]}"
  say "$SYSTEM_row: detokenized, against the raw text"
  subword score -r "$WORK/corpus/test.raw.$PAIR.en" --json "$SYSTEM_FOLDER/detokenized.json" \
    "${notes[@]}" "${detokenized[@]}"
  "$PYTHON_BIN" "$TOOLS/collect_scores.py" -o "$SYSTEM_FOLDER/scores.json" \
    tokenized="$SYSTEM_FOLDER/tokenized.json" detokenized="$SYSTEM_FOLDER/detokenized.json"
}

# test_significance : the sign test of each system against its baseline, of those that are translated.
test_significance() {
  local system decoding name output baseline
  mkdir -p "$WORK/significance"
  for system in $(list_systems); do
    load_system "$system"
    for decoding in "${DECODINGS[@]}"; do
      name="${decoding%%:*}"
      output="$WORK/systems/$system/$name.out"
      baseline="$WORK/systems/${SYSTEM_baseline:--}/$name.out"
      [ -e "$output" ] && [ -e "$baseline" ] || continue
      subword score -r "$WORK/corpus/test.$PAIR.en" --tokenize none --significance sign \
        --json "$WORK/significance/$system.$name.json" \
        "$SYSTEM_baseline=$baseline" "$system=$output" > "$WORK/significance/$system.$name.txt"
    done
  done
}
