#!/usr/bin/env bash
# What does a many-to-English model give a language whose script it never saw? Trains a parent on all
# languages of a folder but one, then that one, the child, in several ways: the parent unchanged
# (zero-shot), parts of it trained further, and from scratch, all with the same number of updates and
# the parent's byte-level BPE; prints chrF and BLEU with mean and spread over the seeds. Wang, Cho & Gu
# 2020, Table 8, at a small scale. Finished runs are kept, so it can be interrupted.
#
#   bash scripts/transfer_study/run.sh --corpus DIR [options]
#
#   --corpus DIR          folder with train.xx-en.xx, train.xx-en.en, and valid and test likewise
#   --child LANGUAGE      (default si)
#   --characters F-L      the child's script, which the parent must not see (default 0D80-0DFF)
#   --parents LIST        (default all languages of the folder but the child)
#   --lines N             pairs of each parent language (default all)
#   --symbols N           byte-level symbols, the 256 bytes included (default 4096)
#   --parent-updates N    updates of the parent (default 6000)
#   --parent-minutes N    cap on the parent's training time, all calls together (default none)
#   --parent-dropout F    (default 0: a few epochs of a small model need none)
#   --updates N           updates of each child run (default 400)
#   --lr F, --warmup N    learning rate and its warm-up for scratch (default 4e-3, 300, as the parent's)
#   --finetune-lr F, --finetune-warmup N   for the other rows (default 1e-3, 100: a larger rate destroys
#                         what the parent knows)
#   --dropout F, --max-tokens N   of each child run (default 0.1, 4000)
#   --seeds LIST          of scratch and embed+enc (default 1,2,3); the other rows take the first
#   --rows LIST           (default zero-shot,enc,enc+dec,embed+enc,all,scratch)
#   --extra NAME=PREFIX   another test set of the child, PREFIX.xx-en.xx and .en; may come again
#   --arch NAME           (default contextualized_transformer_tiny)
#   --work DIR            folder of the runs (default runs/transfer_study in the checkout)
#   --only PHASE          prepare (the parent's data), parent or child (default all)
#   --cpu                 do not use a GPU even if torch sees one
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
source "$ROOT/scripts/recipes/steps.sh"

corpus= child=si characters=0D80-0DFF parents= lines= symbols=4096 parent_minutes=
parent_dropout=0 parent_updates=6000 updates=400 lr=4e-3 finetune_lr=1e-3
warmup=300 finetune_warmup=100 dropout=0.1 max_tokens=4000
seeds=1,2,3 rows=zero-shot,enc,enc+dec,embed+enc,all,scratch extra=()
arch=contextualized_transformer_tiny work="$ROOT/runs/transfer_study" only=
GENERATE="${GENERATE:-}" # of child.sh
read_options "corpus child characters parents lines symbols parent-minutes parent-dropout parent-updates updates \
lr warmup finetune-lr finetune-warmup dropout max-tokens seeds rows extra+ arch work only" "$@"
[ -n "$corpus" ] || die "--corpus DIR is needed (see --help)"
corpus="$(folder_of "$corpus")"
for entry in ${extra[@]+"${extra[@]}"}; do
  [[ "$entry" == ?*=?* ]] || die "--extra: expected NAME=PREFIX, found $entry"
done
case "$only" in '' | prepare | parent | child) ;; *) die "--only: expected prepare, parent or child, found $only" ;; esac
mkdir -p "$work"
study="$(folder_of "$work")"

[ -n "${PYTHON_BIN:-}" ] || ensure_environment fairseq
WORK="$study" CPU="${CPU:-}" PYTHON_BIN="${PYTHON_BIN:-$VENV/bin/python}"
USER_DIR="$ROOT/fairseq_subword_ext" TOOLS="$ROOT/scripts/recipes"
export PYTHONUNBUFFERED=1 PYTHONPATH="$TOOLS${PYTHONPATH:+:$PYTHONPATH}" PYTHONWARNINGS="${PYTHONWARNINGS:-ignore}"
source "$ROOT/scripts/transfer_study/child.sh"
unseen=("$PYTHON_BIN" "$ROOT/scripts/transfer_study/unseen_script.py" --characters "$characters")
device="$(cpu_flags)"
codes="$study/parent/codes" runs="$study/child"
parent_dict="$study/parent/bin/dict.txt" parent_model="$study/parent/checkpoints/checkpoint_best.pt"
mkdir -p "$study/parent"

select_parent() {
  rm -rf "$study/parent/corpus"
  "${unseen[@]}" select --corpus "$corpus" --child "$child" ${parents:+--parents "$parents"} \
    ${lines:+--lines "$lines"} --out "$study/parent/corpus"
}

learn_codes() {
  "${unseen[@]}" check --what "the text that the BBPE is learned from" "$study"/parent/corpus/train.*
  "$PYTHON_BIN" -m fairseq_subword_ext learn-bpe --unit byte --total-symbols -s "$symbols" \
    -i "$study"/parent/corpus/train.* -o "$codes"
}

train_parent() {
  local folder="$study/parent/checkpoints"
  "${unseen[@]}" check --what "the parent's training and validation data" "$study"/parent/corpus/*
  # Run again, it goes on where it was, but never from a model of other data.
  [ "$(cat "$folder/.made-for" 2> /dev/null)" = "$1" ] || rm -rf "$folder"
  mkdir -p "$folder" && printf '%s\n' "$1" > "$folder/.made-for"
  say "parent: $parent_updates updates${parent_minutes:+, at most $parent_minutes minutes}, see $folder/train.log"
  "$PYTHON_BIN" -m fairseq_cli.train "$study/parent/bin" --user-dir "$USER_DIR" \
    --task multilingual_x_en --valid-sample 2000 --arch "$arch" --share-all-embeddings --seed 1 \
    "${training[@]}" --lr 4e-3 --warmup-updates 300 --dropout "$parent_dropout" --max-tokens 4000 \
    ${parent_minutes:+--stop-time-hours "$("$PYTHON_BIN" -c "print($parent_minutes / 60)")"} \
    --max-update "$parent_updates" --save-dir "$folder" \
    --save-interval-updates 500 --keep-interval-updates 1 --no-epoch-checkpoints \
    $device >> "$folder/train.log" 2>&1 \
    || { tail -n 5 "$folder/train.log" >&2; die "training failed, see $folder/train.log"; }
  grep -E 'num. shared model params|done training' "$folder/train.log" | tail -n 2
  grep -E '\| valid \|' "$folder/train.log" | tail -n 1
}

if [ "$only" != child ]; then
  data="corpus=$corpus child=$child characters=$characters parents=$parents lines=$lines"
  step parent-corpus "$data" select_parent
  step parent-codes "$data symbols=$symbols" learn_codes
  step parent-binarize "$data symbols=$symbols" "$PYTHON_BIN" "$TOOLS/binarize.py" --encoder bbpe \
    --corpus "$study/parent/corpus" --codes "$codes" --out "$study/parent/bin" --splits train,valid
  [ "$only" != prepare ] || exit 0
  step parent-train "$data symbols=$symbols minutes=$parent_minutes updates=$parent_updates arch=$arch dropout=$parent_dropout" \
    train_parent "$data symbols=$symbols arch=$arch dropout=$parent_dropout"
fi
[ "$only" != parent ] || exit 0
children
