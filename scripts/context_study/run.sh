#!/usr/bin/env bash
# Tests whether context helps: the same Transformer with no context, a convolution and a Bi-GRU, on bytes
# and on byte-level BPE, with the same number of updates and several seeds; prints chrF, BLEU and exact
# matches on the test set with mean and spread. Finished runs are kept, so it can be interrupted.
#
#   bash scripts/context_study/run.sh [options]
#
#   --corpus DIR     folder with train.xx-en.xx, train.xx-en.en, and valid and test likewise, for one
#                    or more languages xx (default: builds the corpus of names, scripts/names_x_en)
#   --work DIR       folder of the runs (default runs/context_study in the checkout)
#   --languages LIST only these languages of the corpus of names, e.g. uk,hi,ta (default: all 34)
#   --updates N      updates of each run (default 1500)
#   --max-tokens N   size of a batch in symbols (default 4000)
#   --seeds LIST     (default 1,2,3)
#   --contexts LIST  (default none,conv,gru)
#   --units LIST     bytes and bbpe (default bytes,bbpe)
#   --symbols N      byte-level symbols of bbpe, including the 256 bytes (default 1024)
#   --arch NAME      (default contextualized_transformer_tiny)
#   --cpu            do not use a GPU even if torch sees one
#
# The budget is updates, not minutes, so that the figures do not depend on the machine. A batch of bytes
# has fewer sentences than one of BBPE: compare contexts within a unit.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
source "$ROOT/scripts/recipes/steps.sh"

corpus= work="$ROOT/runs/context_study" languages= updates=1500 max_tokens=4000 seeds=1,2,3
contexts=none,conv,gru units=bytes,bbpe symbols=1024 arch=contextualized_transformer_tiny
read_options "corpus work languages updates max-tokens seeds contexts units symbols arch" "$@"
[ -z "$corpus" ] || corpus="$(folder_of "$corpus")"
mkdir -p "$work"
study="$(folder_of "$work")"

[ -n "${PYTHON_BIN:-}" ] || ensure_environment fairseq,quickstart
export WORK="$study"
source "$ROOT/scripts/names_x_en/common.sh"
device="$(cpu_flags)"

if [ -z "$corpus" ]; then
  corpus="$study/corpus"
  LANGUAGES="$languages" step corpus "languages=${languages:-all}" bash "$HERE/1_corpus.sh"
fi

# prepare UNIT SYMBOLS : codes, dictionary and binarized data in $study/UNIT
prepare() {
  export WORK="$study/$1"
  mkdir -p "$WORK"
  step codes "corpus=$corpus symbols=$2" "$PYTHON_BIN" -m fairseq_subword_ext learn-bpe --unit byte \
    --total-symbols -s "$2" -i "$corpus"/train.*-en.* -o "$WORK/codes"
  step binarize "corpus=$corpus symbols=$2" "$PYTHON_BIN" "$TOOLS/binarize.py" --corpus "$corpus" \
    --encoder bbpe --codes "$WORK/codes" --out "$WORK/bin" --splits train,valid,test
}

# run_one UNIT CONTEXT SEED : trains, translates the test set and scores it against the raw text
run_one() {
  local data="$study/$1" folder="$study/$1/$2/seed$3"
  mkdir -p "$folder"
  say "$1, context $2, seed $3: $updates updates"
  "$PYTHON_BIN" -m fairseq_cli.train "$data/bin" --user-dir "$USER_DIR" --task multilingual_x_en \
    --arch "$arch" --embedding-context "$2" --share-all-embeddings --seed "$3" \
    --criterion label_smoothed_cross_entropy --label-smoothing 0.1 \
    --optimizer adam --adam-betas '(0.9, 0.98)' \
    --lr 4e-3 --lr-scheduler inverse_sqrt --warmup-updates 300 \
    --dropout 0.1 --attention-dropout 0 --activation-dropout 0 \
    --max-tokens "$max_tokens" --max-update "$updates" --save-dir "$folder" \
    --save-interval-updates 500 --keep-interval-updates 1 --no-epoch-checkpoints \
    --log-format simple --log-interval 100 $device > "$folder/train.log" 2>&1 \
    || { tail -n 5 "$folder/train.log" >&2; die "training failed, see $folder/train.log"; }
  "$PYTHON_BIN" -m fairseq_cli.generate "$data/bin" --user-dir "$USER_DIR" --task multilingual_x_en \
    --gen-subset test --path "$folder/checkpoint_best.pt" --bpe bbpe --bpe-codes "$data/codes" \
    --scoring sacrebleu --beam 5 --max-tokens 8000 $device > "$folder/test.out" 2> "$folder/generate.log" \
    || { tail -n 5 "$folder/generate.log" >&2; die "translating failed, see $folder/generate.log"; }
  "$PYTHON_BIN" "$HERE/score.py" --system "$folder/test.out" --corpus "$corpus" --split test \
    --json "$folder/scores.json" > "$folder/scores.txt"
  rm -f "$folder"/checkpoint_[0-9]*.pt "$folder/checkpoint_last.pt"
}

for unit in ${units//,/ }; do
  case "$unit" in
    bytes) prepare bytes 256 ;; # byte-level BPE without merges
    bbpe) prepare bbpe "$symbols" ;;
    *) die "--units: expected bytes or bbpe, found $unit" ;;
  esac
done
# Loop over seeds first, so that an interrupted study has complete comparisons.
for seed in ${seeds//,/ }; do
  for unit in ${units//,/ }; do
    for context in ${contexts//,/ }; do
      WORK="$study/$unit" step "$context-$seed" \
        "updates=$updates tokens=$max_tokens arch=$arch symbols=$symbols corpus=$corpus" \
        run_one "$unit" "$context" "$seed"
    done
  done
done
"$PYTHON_BIN" "$ROOT/scripts/context_study/table.py" "$study" --seeds "$seeds" \
  --contexts "$contexts" --units "$units"
