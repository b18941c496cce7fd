# Sourced after common.sh by the recipes that translate many languages into English. Each step works on
# SYSTEM, a row of systems.tsv:
#   WORK/corpus                         SPLIT.xx-en.xx and SPLIT.xx-en.en
#   WORK/segmentations/SEGMENTATION     codes and bin; shared by the systems that name it
#   WORK/systems/SYSTEM                 checkpoints, test.out, language_ids.tsv, scores.json

# Learns the subwords over all languages and both sides, segments, and binarizes with one dictionary.
segment_x_en() {
  load_system "$SYSTEM"
  local folder="$WORK/segmentations/$SYSTEM_segmentation" codes=()
  mkdir -p "$folder"
  if [ -n "$SYSTEM_learn" ]; then
    learn "$folder/codes" "$SYSTEM_learn" "$WORK"/corpus/train.*-en.*
    codes=(--codes "$folder/codes")
  fi
  binarize "$folder" ${codes[@]+"${codes[@]}"}
}

# Trains; if run again, it resumes.
train_x_en() {
  load_system "$SYSTEM"
  say "train: $SYSTEM"
  train "$SYSTEM_config" "$WORK/segmentations/$SYSTEM_segmentation/bin" "$WORK/systems/$SYSTEM"
}

# translate_x_en [FLAG...] : translates the test set with the checkpoint of the best validation loss, and
# scores it against the raw text; the flags go to score_x_en.py.
translate_x_en() {
  load_system "$SYSTEM"
  local folder="$WORK/systems/$SYSTEM"
  generate_x_en test "$folder/language_ids.tsv"
  "$PYTHON_BIN" "$TOOLS/score_x_en.py" --system "$folder/test.out" \
    --language-ids "$folder/language_ids.tsv" --corpus "$WORK/corpus" --seed "$SEED" \
    --json "$folder/scores.json" "$@"
}

# generate_x_en SPLIT IDS : translates a set with SYSTEM into its SPLIT.out; IDS gets the languages' ids.
generate_x_en() {
  load_system "$SYSTEM"
  local split="$1" ids="$2" data="$WORK/segmentations/$SYSTEM_segmentation" folder="$WORK/systems/$SYSTEM" codes=()
  [ -z "$SYSTEM_learn" ] || codes=(--bpe-codes "$data/codes")
  say "translate: $SYSTEM, $split"
  # shellcheck disable=SC2086 # several flags
  generate "$data/bin" "$folder/checkpoints/checkpoint_best.pt" "$folder/$split.out" --task multilingual_x_en \
    --gen-subset "$split" --language-ids "$ids" ${codes[@]+"${codes[@]}"} $SYSTEM_generate --max-tokens 8000
}

# run_x_en CORPUS_SETTINGS : all steps for each of SYSTEMS. Steps finished with the same settings are kept.
run_x_en() {
  local corpus="$1" training
  check_systems
  step corpus "$corpus" bash "$HERE/1_corpus.sh"
  for SYSTEM in "${SYSTEMS[@]}"; do
    export SYSTEM
    load_system "$SYSTEM"
    step "segment.$SYSTEM_segmentation" "$corpus $SYSTEM_encoder $SYSTEM_learn" bash "$HERE/2_segment.sh"
    training="$corpus $SYSTEM_encoder $SYSTEM_learn config=$SYSTEM_config seed=$SEED"
    start_over_if_changed "$training"
    step "train.$SYSTEM" "$training minutes=$MINUTES updates=$UPDATES set=${OVERRIDES//$'\n'/ }" \
      bash "$HERE/3_train.sh"
    bash "$HERE/4_translate.sh"
  done
}
