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

work="$ROOT/runs/names_x_en" rows=(bbpe_1k_gru) recipe=()
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
        --work) mkdir -p "$2" && work="$(cd "$2" && pwd)" ;;
        *) recipe+=("$1" "$2") ;;
      esac
      shift
      ;;
    --fresh | --cpu) recipe+=("$1") ;;
    --transfer) rows+=(si_zero_shot si_enc si_enc_dec si_embed_enc si_all si_scratch) ;;
    -h | --help) script_help; exit 0 ;;
    *) die "unknown option: $1 (see --help)" ;;
  esac
  shift
done

# Tests bring their own environment, in PYTHON_BIN.
[ -n "${PYTHON_BIN:-}" ] || ensure_environment fairseq,quickstart,export
PYTHON_BIN="${PYTHON_BIN:-$VENV/bin/python}"
system="$work/systems/${rows[0]}" data="$work/segmentations/bbpe_1k"

"$PYTHON_BIN" "$ROOT/scripts/recipe.py" names_x_en "${rows[@]}" --work "$work" ${recipe[@]+"${recipe[@]}"}
# What recipe.py says last about a training that --minutes has stopped.
stopped="$(cat "$work/stopped" 2> /dev/null || true)"
"$PYTHON_BIN" -m fairseq_subword_ext export-model "$system/checkpoints" --data "$data/bin" --bpe bbpe \
  --codes "$data/codes" -o "$work/exported" > "$work/logs/export.log" 2>&1 \
  || { tail -n 5 "$work/logs/export.log" >&2; die "exporting failed, see $work/logs/export.log"; }
say "translate a name of your own: echo 'Грузия' | $(dirname "$PYTHON_BIN")/fairseq-subword translate $work/exported"
say "${stopped:-done; everything is in $work}"
