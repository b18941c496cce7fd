#!/usr/bin/env bash
# Trains one system several times with different seeds, translates with all models together, and
# lists their seeds and checkpoints.
#
#   bash scripts/baselines/ensemble.sh --data BIN --config FILE.yaml [options]
#
#   --data DIR         data of fairseq-preprocess
#   --config FILE      full configuration for fairseq-hydra-train
#   --seeds LIST       (default 1,2,3,4,5,6,7,8: the eight models of Sennrich, Haddow & Birch 2016)
#   --checkpoints N    models of each seed: 1, the best (default), or the last N epochs' (theirs were the
#                      last four of two runs: --seeds 1,2 --checkpoints 4)
#   --trained SEED=DIR an existing run of one of the seeds, DIR/checkpoints
#   --translate no     train only, and list the models
#   --generate FLAGS   for fairseq-generate (default: --beam 12 as in the paper)
#   --work DIR         folder of the runs (default runs/baselines in the checkout)
#   --updates N, --minutes N, --update-freq N, --set KEY=VALUE, --cpu
#                      as for every recipe, see scripts/recipes/common.sh
#
# Trained seeds are kept, so that more can be added later. The translation is WORK/ensemble/out.txt, as
# fairseq-generate prints it, and WORK/ensemble/models.tsv lists the models.
set -euo pipefail
RECIPE=baselines EXTRAS=fairseq
RECIPE_OPTIONS="data config seeds checkpoints trained translate"
DATA= CONFIG= SEEDS=1,2,3,4,5,6,7,8 CHECKPOINTS=1 TRAINED= TRANSLATE=yes GENERATE="--beam 12"
source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
recipe_options "$@"

[ -d "$DATA" ] || die "--data: give the folder that fairseq-preprocess wrote, found '$DATA'"
[ -f "$CONFIG" ] || die "--config: give a configuration (FILE.yaml), found '$CONFIG'"
case "$TRAINED" in '' | [0-9]*=?*) ;; *) die "--trained: expected SEED=DIR, found $TRAINED" ;; esac
case "$TRANSLATE" in yes | no) ;; *) die "--translate: expected yes or no, found $TRANSLATE" ;; esac
case "$CHECKPOINTS" in '' | 0 | *[!0-9]*) die "--checkpoints: expected 1 or more, found $CHECKPOINTS" ;; esac
DATA="$(cd "$DATA" && pwd)"
CONFIGS="$(cd "$(dirname "$CONFIG")" && pwd)"
name="$(basename "$CONFIG" .yaml)"

keep=()
[ "$CHECKPOINTS" = 1 ] || keep=(checkpoint.no_epoch_checkpoints=false "checkpoint.keep_last_epochs=$CHECKPOINTS")

mkdir -p "$WORK/ensemble"
models="$WORK/ensemble/models.tsv"
printf 'seed\tcheckpoint\n' > "$models.new"
for SEED in ${SEEDS//,/ }; do
  case "$SEED" in *[!0-9]*) die "--seeds: expected whole numbers with commas, found $SEEDS" ;; esac
  folder="$WORK/seed$SEED"
  if [ "${TRAINED%%=*}" = "$SEED" ]; then
    folder="${TRAINED#*=}"
  else
    step "seed$SEED" "$DATA $CONFIG updates=$UPDATES minutes=$MINUTES set=${OVERRIDES//$'\n'/ } checkpoints=$CHECKPOINTS" \
      train "$name" "$DATA" "$folder" ${keep[@]+"${keep[@]}"}
  fi
  if [ "$CHECKPOINTS" = 1 ]; then
    printf '%s\t%s\n' "$SEED" "$folder/checkpoints/checkpoint_best.pt" >> "$models.new"
  else
    found="$(find "$folder/checkpoints" -name 'checkpoint[0-9]*.pt' | sort -V | grep -E '/checkpoint[0-9]+\.pt$' | tail -n "$CHECKPOINTS" || true)"
    [ "$(grep -c . <<< "$found")" = "$CHECKPOINTS" ] \
      || die "seed $SEED has fewer than $CHECKPOINTS epochs' checkpoints in $folder/checkpoints: train longer"
    sed "s/^/$SEED\t/" <<< "$found" >> "$models.new"
  fi
done
mv "$models.new" "$models"
[ "$TRANSLATE" = yes ] || { cat "$models" && exit; }

say "translating with $(($(wc -l < "$models") - 1)) models"
# shellcheck disable=SC2046,SC2086 # flags
"$PYTHON_BIN" -m fairseq_cli.generate "$DATA" --user-dir "$USER_DIR" --scoring sacrebleu \
  --required-batch-size-multiple 1 $(cpu_flags) $GENERATE \
  --path "$(tail -n +2 "$models" | cut -f2 | paste -sd:)" \
  > "$WORK/ensemble/out.txt" 2> "$WORK/ensemble/generate.log" \
  || { tail -n 5 "$WORK/ensemble/generate.log" >&2; die "translating failed, see $WORK/ensemble/generate.log"; }
cat "$models"
