# Sourced by the scripts that train a child of a parent model in several ways. They set
#   PYTHON_BIN USER_DIR TOOLS device      as scripts/recipes/ has them
#   corpus     folder with the child's raw text, SPLIT.xx-en.xx and .en for train, valid and test
#   child      its language, xx
#   extra      an array of further test sets, NAME=PREFIX
#   codes      the parent's byte-level codes
#   parent_dict, parent_model   its dictionary and checkpoint
#   runs       folder to write to
#   rows seeds arch updates dropout max_tokens   what is trained, and how
#   GENERATE   further flags of fairseq-generate, or nothing
#   lr warmup  for scratch;  finetune_lr finetune_warmup  for the other rows

# The same for the parent and for all rows.
training=(--criterion label_smoothed_cross_entropy --label-smoothing 0.1
  --optimizer adam --adam-betas '(0.9, 0.98)' --lr-scheduler inverse_sqrt --clip-norm 1.0
  --attention-dropout 0 --activation-dropout 0 --log-format simple --log-interval 100)

# child_corpus : the child's own splits, and every further test set, in one folder
child_corpus() {
  local folder="$runs/corpus" side split entry
  rm -rf "$folder" && mkdir -p "$folder"
  for side in "$child" en; do
    for split in train valid test; do
      cp "$corpus/$split.$child-en.$side" "$folder/"
    done
    for entry in ${extra[@]+"${extra[@]}"}; do
      cp "${entry#*=}.$child-en.$side" "$folder/${entry%%=*}.$child-en.$side"
    done
  done
}

# train_row ROW SEED : trains one row of the table
train_row() {
  local row="$1" seed="$2" folder="$runs/$1/seed$2" task
  local rate="$finetune_lr" warm="$finetune_warmup"
  mkdir -p "$folder"
  if [ "$row" = scratch ]; then
    task=(--task multilingual_x_en) rate="$lr" warm="$warmup"
  else
    task=(--task transfer_x_en --finetune "$row" --parent-checkpoint "$parent_model")
  fi
  say "$row, seed $seed: $updates updates"
  rm -f "$folder"/checkpoint*.pt # never goes on from other settings
  "$PYTHON_BIN" -m fairseq_cli.train "$runs/bin" --user-dir "$USER_DIR" "${task[@]}" \
    --arch "$arch" --share-all-embeddings --seed "$seed" "${training[@]}" \
    --lr "$rate" --warmup-updates "$warm" --dropout "$dropout" --max-tokens "$max_tokens" \
    --max-update "$updates" --save-dir "$folder" --save-interval-updates 200 \
    --keep-interval-updates 1 --no-epoch-checkpoints $device > "$folder/train.log" 2>&1 \
    || { tail -n 5 "$folder/train.log" >&2; die "training failed, see $folder/train.log"; }
  grep -oE 'part [a-z]+: .*' "$folder/train.log" >&2 || true
  rm -f "$folder"/checkpoint_[0-9]*.pt "$folder/checkpoint_last.pt"
}

# test_row ROW SEED NAME SUBSET : translates a test set and scores it against the raw text. A source in
# bytes has far more symbols than its translation; what never ends is cut there.
test_row() {
  local row="$1" name="$3" subset="$4" folder="$runs/$1/seed$2" model
  mkdir -p "$folder"
  model="$folder/checkpoint_best.pt"
  [ "$row" != zero-shot ] || model="$parent_model"
  "$PYTHON_BIN" -m fairseq_cli.generate "$runs/bin" --user-dir "$USER_DIR" \
    --task multilingual_x_en --gen-subset "$subset" --path "$model" --bpe bbpe --bpe-codes "$codes" \
    --scoring sacrebleu --beam 5 --max-len-a 1 --max-len-b 50 --max-tokens 24000 $device $GENERATE \
    > "$folder/$name.out" 2> "$folder/generate.log" \
    || { tail -n 5 "$folder/generate.log" >&2; die "translating failed, see $folder/generate.log"; }
  "$PYTHON_BIN" -m fairseq_subword_ext score -r "$runs/corpus/$name.$child-en.en" \
    --json "$folder/$name.json" "$row=$folder/$name.out" > /dev/null
}

# children : the rows, those of the first seed first, and the table
children() {
  local entry row seed name first="${seeds%%,*}" tests=(test) data settings number WORK="$runs"
  [ -f "$parent_model" ] || die "there is no parent, $parent_model: train it first"
  mkdir -p "$runs"
  for entry in ${extra[@]+"${extra[@]}"}; do tests+=("${entry%%=*}"); done
  data="corpus=$corpus child=$child parent=$(cksum < "$parent_model")"
  step corpus "$data extra=${extra[*]-}" child_corpus
  step binarize "$data extra=${extra[*]-}" "$PYTHON_BIN" "$TOOLS/binarize.py" --encoder bbpe \
    --corpus "$runs/corpus" --codes "$codes" --dictionary "$parent_dict" --out "$runs/bin" \
    --splits "$(IFS=,; echo "train,valid,${tests[*]}")"
  settings="$data updates=$updates lr=$lr,$finetune_lr warmup=$warmup,$finetune_warmup dropout=$dropout tokens=$max_tokens arch=$arch"
  for seed in ${seeds//,/ }; do
    for row in ${rows//,/ }; do
      # One seed is enough where the question is which row, not how sure.
      if [ "$seed" != "$first" ] && [ "$row" != scratch ] && [ "$row" != embed+enc ]; then continue; fi
      [ "$row" = zero-shot ] || step "train-$row-$seed" "$settings" train_row "$row" "$seed"
      number=
      for name in "${tests[@]}"; do # Fairseq calls them test, test1, test2, ...
        step "$name-$row-$seed" "$settings${GENERATE:+ generate=$GENERATE}" test_row "$row" "$seed" "$name" "test$number"
        number=$((number + 1))
      done
    done
  done
  "$PYTHON_BIN" "$ROOT/scripts/transfer_study/table.py" "$runs" --rows "$rows" \
    --tests "$(IFS=,; echo "${tests[*]}")"
}
