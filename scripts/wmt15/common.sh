# Sourced by every step of this recipe; the settings are those of scripts/recipes/common.sh, and
#   SEEDS        --seeds LIST       train and use an ensemble of these seeds
#   CHECKPOINTS  --checkpoints N    models of each: 1, the best (default), or the last N epochs'
#   SYSTEM                          the row of systems.tsv (run.sh sets it)
# What a pair's systems share is WORK/segmentations/PAIR_..., and beside what ../recipes/pair_steps.sh says:
#   WORK/segmentations/SEGMENTATION/text  the segmented sets, SPLIT.xx
#   WORK/ensembles/MODEL                  the other seeds of an ensemble
RECIPE=wmt15
RECIPE_OPTIONS="seeds checkpoints"
EXTRAS=fairseq,recipes,align
DEVICES=1 # the paper's batch is one of 80 sentences; on several GPUs each takes its share
BATCH=80
export SYSTEM="${SYSTEM:-}" SEEDS="${SEEDS:-}" CHECKPOINTS="${CHECKPOINTS:-1}"
source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
source "$TOOLS/pair_steps.sh"

# wmt15_paths : SYSTEM's row, its pair, and where its files lie.
wmt15_paths() {
  load_system "$SYSTEM"
  PAIR="$SYSTEM_pair"
  system_paths
  MODEL="${SYSTEM_model:-$SYSTEM}"
  MODEL_FOLDER="$WORK/systems/$MODEL"
  SOURCE_CODES='' TARGET_CODES=''
  if [ -n "$SYSTEM_encoder" ]; then
    SOURCE_CODES="$SEGMENTATION/codes"
    TARGET_CODES="$SEGMENTATION/codes${SYSTEM_learn_target:+.target}"
  fi
  mkdir -p "$SYSTEM_FOLDER"
}

# training_settings : the settings by which an update has BATCH sentences on any number of GPUs, and the pair.
training_settings() {
  printf '%s\n' "$(batch_of "$BATCH")" \
    "task.source_lang=$SOURCE_LANGUAGE" "task.target_lang=$TARGET_LANGUAGE"
}

# preprocess DESTINATION FLAG... : fairseq-preprocess of the pair; Fairseq counts its own four symbols.
preprocess() {
  local destination="$1"
  shift
  "$PYTHON_BIN" -m fairseq_cli.preprocess --source-lang "$SOURCE_LANGUAGE" --target-lang "$TARGET_LANGUAGE" \
    --destdir "$destination" --workers "$WORKERS" "$@" > "$destination.log" 2>&1 \
    || { tail -n 5 "$destination.log" >&2; die "fairseq-preprocess failed, see $destination.log"; }
}

# make_back_off : the dictionary of aligned words, and the test set as text, in which unknown words still show.
make_back_off() {
  say "align the words of both sides"
  rm -rf "$SEGMENTATION/raw"
  mkdir -p "$SEGMENTATION/raw"
  subword segment-baseline word -i "$WORK/corpus/train.$PAIR.$SOURCE_LANGUAGE" -o /dev/null \
    --parallel "$WORK/corpus/train.$PAIR.$TARGET_LANGUAGE" --write-dictionary "$SEGMENTATION/back-off"
  preprocess "$SEGMENTATION/raw/$PAIR" --dataset-impl raw --testpref "$SEGMENTATION/text/test" \
    --srcdict "$DATA/dict.$SOURCE_LANGUAGE.txt" --tgtdict "$DATA/dict.$TARGET_LANGUAGE.txt"
}

# translate_column NAME MODELS : translates the test set into NAME.out, and makes of it NAME.tok (tokens, truecased
# as the corpus) and NAME.txt (running text).
translate_column() {
  local data="$DATA" out="$SYSTEM_FOLDER/$1" flags=()
  [ -z "$TARGET_CODES" ] || flags=(--bpe-codes "$TARGET_CODES")
  if [ -n "$SYSTEM_back_off" ]; then
    data="$SEGMENTATION/raw/$PAIR"
    flags=(--dataset-impl raw --print-alignment --replace-unk "$SEGMENTATION/back-off")
  fi
  say "translate: $SYSTEM, $1"
  # shellcheck disable=SC2086 # several flags
  generate "$data" "$2" "$out.out" --task translation --source-lang "$SOURCE_LANGUAGE" \
    --target-lang "$TARGET_LANGUAGE" --batch-size 16 ${flags[@]+"${flags[@]}"} $SYSTEM_generate
  "$PYTHON_BIN" "$TOOLS/translations.py" -o "$out.tok" --generated-with "$SYSTEM_generate $GENERATE" "$out.out"
  if [ -n "$SYSTEM_segment_target" ]; then
    mv "$out.tok" "$out.pieces"
    subword restore --encoder "${SYSTEM_segment_target%% *}" -i "$out.pieces" -o "$out.tok"
  fi
  "$PYTHON_BIN" "$TOOLS/moses.py" detruecase -i "$out.tok" -o "$out.txt" --workers "$WORKERS"
  "$PYTHON_BIN" "$TOOLS/moses.py" detokenize -l "$TARGET_LANGUAGE" -i "$out.txt" -o "$out.txt" --workers "$WORKERS"
}

# score_wmt15 : scores what is translated, single and ensemble, into scores.json.
#   detokenized  BLEU (mteval-v13a's tokens, as the paper's) and chrF3 of running text
#   tokenized    BLEU and unigram F1 of Moses' tokens
score_wmt15() {
  local column columns=() notes=() tokens=() texts=() reference="$TARGET_LANGUAGE"
  for column in single ensemble; do
    [ -e "$SYSTEM_FOLDER/$column.txt" ] || continue
    tokens+=("$SYSTEM.$column=$SYSTEM_FOLDER/$column.tok")
    texts+=("$SYSTEM.$column=$SYSTEM_FOLDER/$column.txt")
    notes+=(--set "$SYSTEM.$column:decoding=$column")
  done
  say "$SYSTEM_row, $PAIR: tokens, and F1 of words"
  subword score -r "$WORK/corpus/test.$PAIR.$reference" --tokenize none \
    --train "$WORK/corpus/train.$PAIR.$reference" --json "$SYSTEM_FOLDER/tokenized.json" "${notes[@]}" "${tokens[@]}"
  say "$SYSTEM_row, $PAIR: running text"
  subword score -r "$WORK/corpus/test.raw.$PAIR.$reference" --json "$SYSTEM_FOLDER/detokenized.json" \
    "${notes[@]}" "${texts[@]}"
  "$PYTHON_BIN" "$HERE/scores.py" -o "$SYSTEM_FOLDER/scores.json" "$SYSTEM_FOLDER"
}
