#!/usr/bin/env bash
# Sets everything up and runs the main job: translation of names from 34 languages into English, with
# byte-level subwords and a contextualized Transformer. About ten minutes on two cores.
#
#   bash scripts/quickstart.sh [--minutes N] [--work DIR] [--fresh] [--cpu] [--transfer]
#
#   --minutes N  training time (default 6.67); more gives better scores, and a finished run goes on
#   --work DIR   folder of the run (default runs/names_x_en in the checkout)
#   --fresh      start over; without it, steps that are done are kept and training is resumed
#   --cpu        keep off a GPU that torch sees
#   --transfer   then train the model further for Sinhala, which it never saw, in four ways, and a new one
#                beside it; at most ten minutes more
#
# For a first look or a test: --languages ka,el (only these), --lines N (so many pairs of each),
# --updates N (so many training steps), --transfer-updates N (the same for each run of --transfer),
# --generate FLAGS (further flags of fairseq-generate).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

fresh= transfer=
while [ $# -gt 0 ]; do
  case "$1" in
    --minutes | --work | --languages | --lines | --updates | --transfer-updates | --generate)
      [ $# -ge 2 ] || die "$1 needs a value"
      case "$1" in
        --minutes) export MINUTES="$2" ;;
        --work) mkdir -p "$2" && WORK="$(cd "$2" && pwd)" && export WORK ;;
        --languages) export LANGUAGES="$2" ;;
        --lines) export MAX_PAIRS="$2" ;;
        --updates) export UPDATES="$2" ;;
        --transfer-updates) export TRANSFER_UPDATES="$2" ;;
        --generate) export GENERATE="$2" ;;
      esac
      shift
      ;;
    --fresh) fresh=1 ;;
    --cpu) export CPU=1 ;;
    --transfer) transfer=1 ;;
    -h | --help) script_help; exit 0 ;;
    *) die "unknown option: $1 (see --help)" ;;
  esac
  shift
done

# Tests bring their own environment, in PYTHON_BIN.
[ -n "${PYTHON_BIN:-}" ] || ensure_environment fairseq,quickstart
source "$ROOT/scripts/names_x_en/common.sh"
case "$MINUTES" in '' | *[!0-9.]* | *.*.* | .) die "--minutes: expected a number, found $MINUTES" ;; esac

if [ -n "$fresh" ]; then
  say "starting over in $WORK"
  # Only what the steps make: the folder may be one that holds other things.
  rm -rf "$WORK"/{corpus,bin,checkpoints,bbpe.model,bbpe.codes,bbpe.codes.json,transfer} "$WORK"/{test,test_seen}.{out,json} "$WORK"/.done-*
fi

corpus="languages=${LANGUAGES:-all} lines=${MAX_PAIRS:-all}"
data="$corpus symbols=$SYMBOLS trainer=$TRAINER"
step corpus "$corpus" bash "$HERE/1_corpus.sh"
step bpe "$data" bash "$HERE/2_bpe.sh"
step binarize "$data" bash "$HERE/3_binarize.sh"
made_for="$WORK/checkpoints/.made-for"
if [ -e "$made_for" ] && [ "$(cat "$made_for")" != "$data seed=$SEED" ]; then
  say "the checkpoints belong to other data or another seed: training starts over"
  rm -rf "$WORK/checkpoints" "$WORK/.done-train"
fi
mkdir -p "$WORK/checkpoints"
echo "$data seed=$SEED" > "$made_for"
step train "$data minutes=$MINUTES seed=$SEED updates=${UPDATES:-none}" bash "$HERE/4_train.sh"
bash "$HERE/5_translate.sh"
[ -z "$transfer" ] || bash "$HERE/6_transfer.sh"
say "done; everything is in $WORK"
