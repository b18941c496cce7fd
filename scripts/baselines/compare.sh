#!/usr/bin/env bash
# Segments one text in all the ways that Sennrich, Haddow & Birch 2016 compare, and prints their Table 1
# for it: tokens, types, and tokens of held-out text that do not occur in training.
#
#   bash scripts/baselines/compare.sh TEXT [options]
#
#   TEXT               raw or tokenized text, one sentence per line; its suffix is used as its language
#   --heldout FILE     text to count unknown tokens in (default: the last 20th of TEXT, which is then not trained on)
#   --translation FILE text in the other language, for joint BPE; only learned from
#   --lang CODE        language for hyphenation (default: the suffix of TEXT)
#   --merges N         merges of BPE (default 59500, as in the paper; use fewer for a small text)
#   --joint-merges N   merges of joint BPE (default 89500)
#   --shortlist N      words that stay whole beside character bigrams (default 50000)
#   --fillers 's es'   letters between the parts of compounds (default those of German)
#   --without LIST     leave out, e.g. morfessor,hyphenation (Morfessor takes a minute for 10,000 word
#                      types, and its time grows faster than their number)
#   --format FORMAT    text, tsv, markdown or json
#   --work DIR         folder of the files (default runs/baselines in the checkout)
#
# Files are kept; for another text, remove the folder or give another one.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

text= heldout= translation= lang= merges=59500 joint_merges=89500 shortlist=50000 fillers="s es"
without= format=text WORK="${WORK:-$ROOT/runs/baselines}"
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) script_help; exit 0 ;;
    -*) [ $# -ge 2 ] || die "$1 needs a value (see --help)" ;;
    *) [ -z "$text" ] || die "only one text at a time, found $text and $1"; text="$1"; shift; continue ;;
  esac
  case "$1" in
    --heldout) heldout="$2" ;;
    --translation) translation="$2" ;;
    --lang) lang="$2" ;;
    --merges) merges="$2" ;;
    --joint-merges) joint_merges="$2" ;;
    --shortlist) shortlist="$2" ;;
    --fillers) fillers="$2" ;;
    --without) without="$2" ;;
    --format) format="$2" ;;
    --work) WORK="$2" ;;
    *) die "unknown option: $1 (see --help)" ;;
  esac
  shift 2
done
[ -n "$text" ] || die "TEXT is missing (see --help)"
for file in "$text" ${heldout:+"$heldout"} ${translation:+"$translation"}; do
  [ -f "$file" ] || die "$file: no such file"
done
lang="${lang:-${text##*.}}"
CPU=1
if [ -z "${PYTHON_BIN:-}" ]; then
  ensure_environment align,hyphenation,morfessor
  PYTHON_BIN="$VENV/bin/python"
fi
mkdir -p "$WORK"
export WORK CPU PYTHON_BIN
source "$ROOT/scripts/recipes/steps.sh"

subword() { "$PYTHON_BIN" -m fairseq_subword_ext "$@"; }

split_text() {
  local lines
  if [ -n "$heldout" ]; then
    cp "$text" "$WORK/train" && cp "$heldout" "$WORK/heldout"
    return
  fi
  lines="$(wc -l < "$text")"
  head -n "$((lines - lines / 20))" "$text" > "$WORK/train"
  tail -n "+$((lines - lines / 20 + 1))" "$text" > "$WORK/heldout"
}

NAMES=()
# row NAME COMMAND... : segments the training text and the held-out one by a command that reads
# standard input and writes standard output.
row() {
  local name="$1" kind="$2" part
  shift
  case ",$without," in *",$kind,"*) return ;; esac
  for part in train heldout; do
    step "$name.$part" "$* $identity" segment "$part" "$name" "$@"
  done
  NAMES+=("$name")
}
segment() { # PART NAME KIND COMMAND...
  local part="$1" name="$2"
  shift 3
  say "$name: $part"
  "$@" < "$WORK/$part" > "$WORK/$name.$part" 2> "$WORK/$name.$part.log" \
    || { tail -n 3 "$WORK/$name.$part.log" >&2; die "$name failed"; }
}
baseline() { subword segment-baseline "$@"; }

identity="$(cksum "$text" ${heldout:+"$heldout"} ${translation:+"$translation"} | tr '\n' ' ')"
step split "$identity" split_text
step words "$identity" subword get-vocab -i "$WORK/train" -o "$WORK/words"
words="$WORK/words"

row characters characters baseline characters
row char-bigrams char-ngrams baseline char-ngrams --n 2
row char-trigrams char-ngrams baseline char-ngrams --n 3
# shellcheck disable=SC2086 # several fillers
row compounds compounds baseline compounds --vocabulary "$words" --fillers $fillers
case ",$without," in
  *,morfessor,*) ;;
  *)
    say "morfessor: training"
    step morfessor.model "$identity" subword segment-baseline morfessor --vocabulary "$words" \
      --write-model "$WORK/morfessor.model" -i /dev/null -o /dev/null ;;
esac
row morfessor morfessor baseline morfessor --model "$WORK/morfessor.model"
row hyphenation hyphenation baseline hyphenation --lang "$lang"
step bpe.codes "$merges $identity" subword learn-bpe -i "$WORK/train" -s "$merges" -o "$WORK/bpe.codes"
row BPE bpe subword apply-bpe -c "$WORK/bpe.codes"
if [ -n "$translation" ]; then
  step joint.codes "$joint_merges $identity" subword learn-joint-bpe-and-vocab \
    -i "$WORK/train" "$translation" -s "$joint_merges" -o "$WORK/joint.codes" \
    --write-vocabulary "$WORK/joint.vocabulary" "$WORK/joint.vocabulary.translation"
  row BPE-joint bpe subword apply-bpe -c "$WORK/joint.codes"
fi
row char-bigrams-shortlist char-ngrams baseline char-ngrams --n 2 --shortlist "$shortlist" \
  --vocabulary "$words"

texts=() heldout_texts=()
for name in "${NAMES[@]}"; do
  texts+=("$name:$lang=$WORK/$name.train")
  heldout_texts+=(--heldout "$name:$lang=$WORK/$name.heldout")
done
subword stats --raw "$lang=$WORK/train" --heldout-raw "$lang=$WORK/heldout" --format "$format" \
  --json "$WORK/stats.json" "${texts[@]}" "${heldout_texts[@]}"
