# Sourced after common.sh by the recipes of one language pair. Each step works on SYSTEM, a row of
# systems.tsv:
#   WORK/corpus                      train, valid and the test sets, SPLIT.PAIR.xx; where they are Moses tokens, the
#                                    test sets' raw text beside them, SET.raw.PAIR.xx
#   WORK/segmentations/SEGMENTATION  codes, codes.target where the sides have their own, and bin; shared by the
#                                    systems that name it
#   WORK/systems/SYSTEM              checkpoints; for each column of the table NAME.out, which fairseq-generate
#                                    printed, and NAME.txt, the translations as text; *.json; scores.json
#
# The recipe sets, once it has sourced this,
#   PAIR       source and target language: en-de
#   TEST_SETS  the test sets by name, (kftt ted jesc)                   default (test)
#   COLUMNS_OF_TABLE  (NAME:SET:FLAG... ...), with flags of fairseq-generate that come after the system's
#                                                                       default: each test set, by its name
#   TOKENIZED  1 where the corpus, and so what the model writes, is Moses tokens
#   TASK       Fairseq's task                                           default translation
#   NOTES      settings for `score --set`, (measure=frq merges=10000)
#
# Columns of systems.tsv beside those that systems.py describes:
#   learn_target  flags of learn-bpe for the target side: then the sides have codes of their own
#   binarize      flags of binarize.py: --separate, --nwords 50000, ...
#   lengths       the paper's symbols a line, SOURCE/TARGET
#   partial       the paper's percent of symbols that hold a part of a character

TEST_SETS=(test) COLUMNS_OF_TABLE=() NOTES=() TOKENIZED='' TASK=translation

# system_paths : the row of SYSTEM, and where its files lie. TARGET_CODES is empty for bytes and characters.
system_paths() {
  load_system "$SYSTEM"
  SOURCE_LANGUAGE="${PAIR%-*}" TARGET_LANGUAGE="${PAIR#*-}"
  SEGMENTATION="$WORK/segmentations/$SYSTEM_segmentation"
  SYSTEM_FOLDER="$WORK/systems/$SYSTEM"
  DATA="$SEGMENTATION/bin/$PAIR"
  TARGET_CODES="${SYSTEM_learn:+$SEGMENTATION/codes${SYSTEM_learn_target:+.target}}"
  mkdir -p "$SEGMENTATION"
}

# learn_pair : the codes, of both sides together or of each on its own; nothing for bytes and characters.
learn_pair() {
  local source="$WORK/corpus/train.$PAIR.$SOURCE_LANGUAGE" target="$WORK/corpus/train.$PAIR.$TARGET_LANGUAGE"
  [ -n "$SYSTEM_learn" ] || return 0
  if [ -z "${SYSTEM_learn_target:-}" ]; then
    learn "$SEGMENTATION/codes" "$SYSTEM_learn" "$source" "$target"
  else
    learn "$SEGMENTATION/codes" "$SYSTEM_learn" "$source"
    learn "$TARGET_CODES" "$SYSTEM_learn_target" "$target"
  fi
}

# binarize_pair [FLAG...] : segments and binarizes all sets; the flags go to binarize.py.
binarize_pair() {
  local splits
  splits="$(IFS=, && echo "train,valid,${TEST_SETS[*]}")"
  binarize "$SEGMENTATION" --target "$TARGET_LANGUAGE" --languages "$SOURCE_LANGUAGE" --splits "$splits" \
    ${SYSTEM_learn:+--codes "$SEGMENTATION/codes"} \
    ${SYSTEM_learn_target:+--target-codes "$TARGET_CODES"} "$@"
}

# batch_of SENTENCES : the setting by which an update sees so many, whatever the number of GPUs.
batch_of() {
  local gpus
  gpus="$(count_gpus)"
  echo "dataset.batch_size=$(($1 / (gpus ? gpus : 1)))"
}

# train_pair [KEY=VALUE...] : trains; if run again, it resumes.
train_pair() {
  train "$SYSTEM_config" "$DATA" "$SYSTEM_FOLDER" "$@"
}

# translate_pair [MODELS] : translates for each column of the table, with the checkpoint of the best validation
# loss or with MODELS (one path, or an ensemble A:B).
translate_pair() {
  local models="${1:-$SYSTEM_FOLDER/checkpoints/checkpoint_best.pt}" column set flags place positions=()
  # The model's own limits count, not the task's 1,024: bytes and characters make long sentences.
  [ "$TASK" != translation ] || positions=(--max-source-positions 100000 --max-target-positions 100000)
  for column in $(list_columns); do
    set="$(set_of "$column")"
    flags="$(flags_of "$column")"
    # Fairseq calls several test sets test, test1, test2.
    place="$(printf '%s\n' "${TEST_SETS[@]}" | grep -nx "$set" | cut -d: -f1)" \
      || die "the column $column is of $set, which is no test set: ${TEST_SETS[*]}"
    [ "$place" != 1 ] || place=
    say "translate: $SYSTEM, $column"
    # shellcheck disable=SC2086 # several flags
    generate "$DATA" "$models" "$SYSTEM_FOLDER/$column.out" --task "$TASK" --source-lang "$SOURCE_LANGUAGE" \
      --target-lang "$TARGET_LANGUAGE" --gen-subset "test${place:+$((place - 1))}" \
      ${TARGET_CODES:+--bpe-codes "$TARGET_CODES"} --max-tokens 8000 ${positions[@]+"${positions[@]}"} $flags
  done
}

# list_columns : the names of the table's columns.
list_columns() {
  if [ "${#COLUMNS_OF_TABLE[@]}" -eq 0 ]; then printf '%s\n' "${TEST_SETS[@]}"; else printf '%s\n' "${COLUMNS_OF_TABLE[@]%%:*}"; fi
}

# set_of COLUMN : its test set.
set_of() {
  local row
  for row in ${COLUMNS_OF_TABLE[@]+"${COLUMNS_OF_TABLE[@]}"}; do
    [ "${row%%:*}" != "$1" ] || { cut -d: -f2 <<< "$row" && return; }
  done
  echo "$1"
}

# flags_of COLUMN : all flags of fairseq-generate that say how it is translated.
flags_of() {
  local row flags=
  for row in ${COLUMNS_OF_TABLE[@]+"${COLUMNS_OF_TABLE[@]}"}; do
    [ "${row%%:*}" != "$1" ] || flags="$(cut -d: -f3- <<< "$row")"
  done
  echo "$SYSTEM_generate $flags"
}

# score_pair [FLAG...] : scores each column and, where the columns are several test sets, all of them as one text,
# into scores.json for table.py and grid.py; the flags go to `fairseq-subword score`.
#   tokenized    case-sensitive BLEU of Moses tokens, as papers report it
#   detokenized  sacreBLEU's BLEU of running text against the raw reference
score_pair() {
  local set column columns
  SCORES=()
  for set in "${TEST_SETS[@]}"; do
    columns=()
    for column in $(list_columns); do
      [ "$(set_of "$column")" != "$set" ] || columns+=("$column")
    done
    [ "${#columns[@]}" -eq 0 ] || score_columns "$set" "${columns[*]}" "$@"
  done
  if [ "${#TEST_SETS[@]}" -gt 1 ] && [ "${#COLUMNS_OF_TABLE[@]}" -eq 0 ]; then
    join_sets
    score_columns all all "$@"
  fi
  "$PYTHON_BIN" "$TOOLS/collect_scores.py" -o "$SYSTEM_FOLDER/scores.json" "${SCORES[@]}"
}

# join_sets : all test sets as one, the references and what this system made of them.
join_sets() {
  local kind set outputs=() references
  for set in "${TEST_SETS[@]}"; do outputs+=("$SYSTEM_FOLDER/$set.out"); done
  "$PYTHON_BIN" "$TOOLS/translations.py" -o "$SYSTEM_FOLDER/all.out" "${outputs[@]}"
  for kind in "" ${TOKENIZED:+.raw}; do
    references=()
    for set in "${TEST_SETS[@]}"; do references+=("$WORK/corpus/$set$kind.$PAIR.$TARGET_LANGUAGE"); done
    cat "${references[@]}" > "$WORK/corpus/all$kind.$PAIR.$TARGET_LANGUAGE"
  done
}

# score_columns SET "COLUMN..." [FLAG...] : adds to SCORES what collect_scores.py joins.
score_columns() {
  local set="$1" columns="$2" column prefix="" reference tokens=() text=() notes=()
  shift 2
  [ "${#TEST_SETS[@]}" -eq 1 ] || prefix="$set."
  prefix="$SYSTEM_FOLDER/$prefix"
  reference="$WORK/corpus/$set.$PAIR.$TARGET_LANGUAGE"
  for column in $columns; do
    "$PYTHON_BIN" "$TOOLS/translations.py" -o "$SYSTEM_FOLDER/$column.txt" \
      --generated-with "$(flags_of "$column") $GENERATE" \
      ${TOKENIZED:+--detokenize "$TARGET_LANGUAGE" --workers "$WORKERS"} "$SYSTEM_FOLDER/$column.out"
    tokens+=("$SYSTEM.$column=$SYSTEM_FOLDER/$column.out")
    text+=("$SYSTEM.$column=$SYSTEM_FOLDER/$column.txt")
    notes+=(--set "$SYSTEM.$column:decoding=$column")
  done
  for column in ${NOTES[@]+"${NOTES[@]}"}; do notes+=(--set "$column"); done
  say "$SYSTEM_row, $set:"
  if [ -n "$TOKENIZED" ]; then
    subword score -r "$reference" --tokenize none --json "${prefix}tokenized.json" "${notes[@]}" "${tokens[@]}"
    SCORES+=("tokenized=${prefix}tokenized.json" "detokenized=${prefix}detokenized.json")
    reference="$WORK/corpus/$set.raw.$PAIR.$TARGET_LANGUAGE"
    subword score -r "$reference" --json "${prefix}detokenized.json" "$@" "${notes[@]}" "${text[@]}"
  else
    SCORES+=("tokenized/tokenized BLEU=${prefix}detokenized.json" "detokenized=${prefix}detokenized.json")
    subword score -r "$reference" --tokenized --tokenized-lang "$TARGET_LANGUAGE" \
      --json "${prefix}detokenized.json" "$@" "${notes[@]}" "${text[@]}"
  fi
}

# run_training DATA_SETTINGS TRAIN TRANSLATE : trains SYSTEM by the step TRAIN and translates by TRANSLATE. Other
# data, another configuration or another seed starts over; more updates go on.
run_training() {
  local training="$1 config=$SYSTEM_config seed=$SEED set=${OVERRIDES//$'\n'/ }"
  start_over_if_changed "$training"
  training="$training minutes=$MINUTES updates=$UPDATES"
  step "train.$SYSTEM" "$training" bash "$HERE/$2"
  step "translate.$SYSTEM" "$training generate=$SYSTEM_generate $GENERATE" bash "$HERE/$3"
}

# run_pair CORPUS_SETTINGS : the steps 1_corpus, 2_segment, 3_train, 4_translate for each of SYSTEMS. What is
# done with the same settings is kept.
run_pair() {
  local data
  check_systems
  step corpus "$1" bash "$HERE/1_corpus.sh"
  for SYSTEM in ${SYSTEMS[@]+"${SYSTEMS[@]}"}; do
    export SYSTEM
    system_paths
    data="$1 $SYSTEM_encoder $SYSTEM_learn ${SYSTEM_learn_target:-} ${SYSTEM_binarize:-}"
    step "segment.$SYSTEM_segmentation" "$data" bash "$HERE/2_segment.sh"
    run_training "$data" 3_train.sh 4_translate.sh
  done
}
