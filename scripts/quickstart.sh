#!/usr/bin/env bash
# Sets everything up and trains a model that translates names from 34 languages into English, with
# byte-level subwords and a contextualized Transformer. Takes about ten minutes on two idle cores, longer if
# other programs run, with the same result.
#
#   bash scripts/quickstart.sh [--updates N] [--minutes N] [--work DIR] [--fresh] [--cpu] [--transfer]
#
#   --updates N  number of training updates (default 1600); with more, a finished run continues and scores better
#   --minutes N  maximum training time of this call; run the same command again to continue
#   --work DIR   folder of the run (default runs/names_x_en in the checkout)
#   --fresh      start over; otherwise finished steps are kept and training resumes
#   --cpu        do not use a GPU even if torch sees one
#   --transfer   afterwards fine-tune the model on Sinhala, which it has never seen, in four ways, and train a
#                new model for comparison; at most ten minutes more
#
# For a quick trial: --languages ka,el (only these languages), --lines N (pairs per language),
# --transfer-updates N (updates of each --transfer run), --generate FLAGS (more flags for fairseq-generate).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

fresh= transfer=
while [ $# -gt 0 ]; do
  case "$1" in
    --minutes | --work | --languages | --lines | --updates | --transfer-updates | --generate)
      [ $# -ge 2 ] || die "$1 needs a value"
      case "$1" in
        --updates | --lines | --transfer-updates)
          case "$2" in '' | *[!0-9]*) die "$1: expected a whole number, found $2" ;; esac ;;
        --minutes)
          case "$2" in '' | *[!0-9.]* | *.*.* | .) die "$1: expected a number, found $2" ;; esac ;;
      esac
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
[ -n "${PYTHON_BIN:-}" ] || ensure_environment fairseq,quickstart,export
source "$ROOT/scripts/names_x_en/common.sh"

# trained : number of updates of the newest checkpoint
trained() { cat "$WORK/checkpoints/updates" 2> /dev/null || echo 0; }

# The last line of a call that did not finish training.
stopped_early() { say "$(trained) of $UPDATES updates; run the same command to continue"; }

interrupted() {
  if [ "$(trained)" -lt "$UPDATES" ]; then stopped_early; else say "interrupted; run the same command to continue"; fi
  exit 130
}
trap interrupted INT

if [ -n "$fresh" ]; then
  say "starting over in $WORK"
  # Remove only what the steps write, since the folder may have other files.
  rm -rf "$WORK"/{corpus,bin,checkpoints,exported,train.log,export.log,bbpe.model,bbpe.codes,bbpe.codes.json,transfer} "$WORK"/{test,test_seen}.{out,json,log} "$WORK"/.done-*
fi

corpus="languages=${LANGUAGES:-all} lines=${MAX_PAIRS:-all}"
data="$corpus symbols=$SYMBOLS trainer=$TRAINER"
step corpus "$corpus" bash "$HERE/1_corpus.sh"
step bpe "$data" bash "$HERE/2_bpe.sh"
step binarize "$data" bash "$HERE/3_binarize.sh"
made_for="$WORK/checkpoints/.made-for"
if [ -e "$made_for" ] && [ "$(cat "$made_for")" != "$data seed=$SEED" ]; then
  say "the checkpoints are from other data or another seed: training starts over"
  rm -rf "$WORK/checkpoints"
fi
mkdir -p "$WORK/checkpoints"
echo "$data seed=$SEED" > "$made_for"
if [ "$(trained)" -ge "$UPDATES" ]; then
  say "train: done before, kept (--fresh starts over, --updates N continues)"
else
  bash "$HERE/4_train.sh"
fi
bash "$HERE/5_translate.sh"
[ -z "$transfer" ] || bash "$HERE/6_transfer.sh"
"$PYTHON_BIN" -m fairseq_subword_ext export-model "$WORK/checkpoints" --data "$WORK/bin" \
  --bpe bbpe --codes "$CODES" -o "$WORK/exported" > "$WORK/export.log" 2>&1 \
  || { tail -n 5 "$WORK/export.log" >&2; die "exporting failed, see $WORK/export.log"; }
say "translate a name of your own: echo 'Грузия' | $(dirname "$PYTHON_BIN")/fairseq-subword translate $WORK/exported"
if [ "$(trained)" -lt "$UPDATES" ]; then stopped_early; else say "done; everything is in $WORK"; fi
