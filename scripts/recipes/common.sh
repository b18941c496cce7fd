# Sourced by the scripts of every recipe.
#
#   RECIPE=ted58_x_en                       # the folder's name, in scripts/ and in configs/
#   source "$(dirname "${BASH_SOURCE[0]}")/../recipes/common.sh"
#   recipe_options "$@"                     # in run.sh; what is no option is in the array SYSTEMS
#
# Settings, as environment variables or as options of run.sh:
#   WORK         --work DIR     folder of the run                       default runs/RECIPE in the checkout
#   RAW          --raw DIR      folder with the source's files; nothing is then downloaded
#   LANGUAGES    --languages a,b  only these (recipes with many languages)
#   MAX_PAIRS    --lines N          only the first N lines of each training file (for a quick trial)
#   UPDATES      --updates N    stop training after N updates           default as in the configuration
#   MINUTES      --minutes N    stop training after N minutes in total, over all runs
#   SEED         --seed N       seed of the training                    default 1
#   WORKERS      --workers N    processes that segment and binarize     default all processors
#   UPDATE_FREQ  --update-freq N  batches per device and update           default: see DEVICES
#   CPU          --cpu          do not use a GPU even if torch sees one
#   GENERATE     --generate "FLAGS"  more flags for fairseq-generate, after the system's own
#   OVERRIDES    --set KEY=VALUE  any setting of the Hydra configuration; may be repeated
#   FRESH        --fresh        start over; otherwise finished steps are kept
#
# A recipe may set, before it sources this file:
#   DEVICES  devices that the configuration's batch is meant for: on fewer, each gathers DEVICES / (GPUs
#            here) batches for an update, so that the effective batch stays (default: the configuration's
#            update_freq, which is the one for a single device; 8 where it has none).
#   EXTRAS   what env.sh installs (default fairseq,recipes)
#
# Functions: step, learn, binarize, train, generate, start_over_if_changed, subword, fetch, expect, cpu_flags,
# load_system, list_systems, check_systems; each is described where it stands.
# Everything of a system lies in WORK/systems/SYSTEM; what systems share, in WORK itself.

source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
source "$ROOT/scripts/recipes/steps.sh"
HERE="$ROOT/scripts/$RECIPE"
CONFIGS="$ROOT/configs/$RECIPE"
TOOLS="$ROOT/scripts/recipes"
USER_DIR="$ROOT/fairseq_subword_ext"
export WORK="${WORK:-$ROOT/runs/$RECIPE}"
export RAW="${RAW:-}" LANGUAGES="${LANGUAGES:-}" MAX_PAIRS="${MAX_PAIRS:-}" UPDATES="${UPDATES:-}" MINUTES="${MINUTES:-}"
export SEED="${SEED:-1}" WORKERS="${WORKERS:-}" UPDATE_FREQ="${UPDATE_FREQ:-}" CPU="${CPU:-}" GENERATE="${GENERATE:-}"
export OVERRIDES="${OVERRIDES:-}" # separated by newlines
SYSTEMS=() FRESH=
export PYTHONUNBUFFERED=1 PYTHONPATH="$TOOLS${PYTHONPATH:+:$PYTHONPATH}" # recipes' scripts import what is there
# Hydra and fairseq warn about their own use of deprecated features, which users cannot fix.
export PYTHONWARNINGS="${PYTHONWARNINGS:-ignore}"
# run.sh's --help is the comment on top of it; it needs no environment.
for argument in "$@"; do
  case "$argument" in
    -h | --help)
      script_help
      exit 0
      ;;
  esac
done
# Tests bring their own environment, in PYTHON_BIN.
if [ -z "${PYTHON_BIN:-}" ]; then
  PYTHON_BIN="$VENV/bin/python"
  [ -n "${RECIPE_ENVIRONMENT:-}" ] || ensure_environment "${EXTRAS:-fairseq,recipes}"
  export RECIPE_ENVIRONMENT=1 # the steps that run.sh starts need not look again
fi
export PYTHON_BIN
WORKERS="${WORKERS:-$("$PYTHON_BIN" -c 'import os; print(len(os.sched_getaffinity(0)))')}"

# recipe_options ARGUMENT... : the options above; a recipe's own ones are named in RECIPE_OPTIONS, as in
# RECIPE_OPTIONS="corpus model", and set the variables CORPUS and MODEL.
recipe_options() {
  local name value
  while [ $# -gt 0 ]; do
    case "$1" in
      --cpu) CPU=1 ;;
      --fresh) FRESH=1 ;;
      --*)
        name="${1#--}"
        case " work raw languages lines updates minutes seed workers update-freq generate set ${RECIPE_OPTIONS:-} " in
          *" $name "*) ;;
          *) die "unknown option: $1 (see --help)" ;;
        esac
        [ $# -ge 2 ] || die "$1 needs a value"
        value="$2"
        shift
        case "$name" in
          work) mkdir -p "$value" && value="$(cd "$value" && pwd)" ;;
          raw | corpus)
            [ -d "$value" ] || die "--$name $value: no such folder"
            value="$(cd "$value" && pwd)"
            ;;
          lines | updates | seed | workers | update-freq)
            case "$value" in '' | *[!0-9]*) die "--$name: expected a whole number, found $value" ;; esac
            ;;
          minutes) case "$value" in '' | *[!0-9.]* | *.*.* | .) die "--minutes: expected a number, found $value" ;; esac ;;
          set)
            case "$value" in *=*) ;; *) die "--set: expected KEY=VALUE, found $value" ;; esac
            name=overrides value="${OVERRIDES:+$OVERRIDES$'\n'}$value"
            ;;
        esac
        # LINES is bash's own variable, which a terminal sets to its height.
        [ "$name" != lines ] || name=max-pairs
        name="$(printf %s "$name" | tr a-z- A-Z_)"
        printf -v "$name" %s "$value"
        export "${name?}"
        ;;
      *) SYSTEMS+=("$1") ;;
    esac
    shift
  done
  export CPU
  if [ -n "$FRESH" ] && [ -d "$WORK" ]; then
    say "starting over in $WORK"
    # Remove only what the steps write, since the folder may have other files. Downloads are kept.
    rm -rf "$WORK"/{corpus,segmentations,systems,ensembles} "$WORK"/.done-*
  fi
  mkdir -p "$WORK"
  # For `fairseq-subword package-model`.
  printf "%s\n" "$RECIPE" > "$WORK/recipe"
  [ ! -e "$HERE/systems.tsv" ] || cp "$HERE/systems.tsv" "$WORK/systems.tsv"
}

# subword COMMAND ... : fairseq-subword COMMAND ...
subword() { "$PYTHON_BIN" -m fairseq_subword_ext "$@"; }

# fetch [NAME...] [FLAG...] : the recipe's files by sources.tsv, all or those named, into WORK/raw.
fetch() { "$PYTHON_BIN" "$TOOLS/fetch.py" "$RECIPE" "$@" --to "$WORK/raw" ${RAW:+--raw "$RAW"}; }

# expect : what the paper says of the corpus, in HERE/expected.tsv, beside what is found.
expect() { "$PYTHON_BIN" "$TOOLS/expect.py" "$HERE/expected.tsv" --in "$WORK/corpus"; }

# list_systems : the names of all rows.
list_systems() { "$PYTHON_BIN" "$TOOLS/systems.py" "$HERE/systems.tsv" | cut -f1; }

# check_systems : a wrong name among SYSTEMS stops here, before anything is done.
check_systems() {
  local system
  for system in ${SYSTEMS[@]+"${SYSTEMS[@]}"}; do load_system "$system"; done
}

# load_system NAME : the row of systems.tsv as SYSTEM_segmentation, SYSTEM_encoder and so on; a "-" is empty.
load_system() {
  local row
  row="$("$PYTHON_BIN" "$TOOLS/systems.py" "$HERE/systems.tsv" "$1")" || exit 1
  eval "$row"
}

# start_over_if_changed SETTINGS : removes SYSTEM's checkpoints where they were made with other settings,
# which training must not go on from.
start_over_if_changed() {
  local folder="$WORK/systems/$SYSTEM"
  local made_for="$folder/made-for"
  mkdir -p "$folder"
  if [ -e "$made_for" ] && [ "$(cat "$made_for")" != "$1" ]; then
    say "$SYSTEM: the checkpoints are from other data or another seed: training starts over"
    rm -rf "$folder"/{checkpoints,hydra} "$folder"/*.{out,txt,json} "$WORK/.done-train.$SYSTEM"
  fi
  printf '%s\n' "$1" > "$made_for"
}

# learn CODES "FLAG..." FILE... : fairseq-subword learn-bpe.
learn() {
  local codes="$1" flags="$2"
  shift 2
  say "learn-bpe $flags"
  # shellcheck disable=SC2086 # several flags
  subword learn-bpe $flags -i "$@" --num-workers "$WORKERS" -o "$codes"
}

# binarize FOLDER [FLAG...] : segments and binarizes the corpus for the system that is loaded, by binarize.py
# with these flags and those of its column "binarize", into FOLDER/bin.
binarize() {
  local folder="$1"
  shift
  say "segment and binarize: $SYSTEM_encoder"
  # shellcheck disable=SC2086 # several flags
  "$PYTHON_BIN" "$TOOLS/binarize.py" --corpus "$WORK/corpus" --encoder "$SYSTEM_encoder" \
    --out "$folder/bin" --workers "$WORKERS" ${SYSTEM_lengths:+--expected-lengths "$SYSTEM_lengths"} \
    ${SYSTEM_partial:+--expected-partial "$SYSTEM_partial"} ${SYSTEM_binarize:-} "$@"
}

# generate DATA MODELS OUT [FLAG...] : translates binarized DATA with MODELS (one, or several as A:B) and the
# encoder, if any, of the system that is loaded; what fairseq-generate prints goes to OUT.
generate() {
  local data="$1" models="$2" out="$3" device
  shift 3
  device="$(cpu_flags)"
  # shellcheck disable=SC2086 # several flags
  "$PYTHON_BIN" -m fairseq_cli.generate "$data" --user-dir "$USER_DIR" --path "$models" \
    ${SYSTEM_encoder:+--bpe "$SYSTEM_encoder"} --scoring sacrebleu --required-batch-size-multiple 1 "$@" $GENERATE $device > "$out.unfinished"
  mv "$out.unfinished" "$out"
}

# train CONFIG DATA FOLDER [KEY=VALUE...] : fairseq-hydra-train with CONFIGS/CONFIG.yaml on binarized DATA,
# checkpoints into FOLDER/checkpoints. If run again, it resumes. fp16 on a GPU only.
train() {
  local config="$1" data="$2" folder="$3" gpus device devices frequency override overrides=()
  shift 3
  gpus="$(count_gpus)"
  devices="${DEVICES:-$(sed -n 's/^ *update_freq: *\[\([0-9]*\)\].*/\1/p' "$CONFIGS/$config.yaml")}"
  devices="${devices:-8}"
  device=common.fp16=true
  [ "$gpus" != 0 ] || device=common.cpu=true
  frequency="${UPDATE_FREQ:-$((gpus ? (devices + gpus - 1) / gpus : devices))}"
  while IFS= read -r override; do
    [ -z "$override" ] || overrides+=("$override")
  done <<< "$OVERRIDES"
  [ -z "$UPDATES" ] || overrides=("optimization.max_update=$UPDATES" ${overrides[@]+"${overrides[@]}"})
  [ -z "$MINUTES" ] || overrides=("optimization.stop_time_hours=$("$PYTHON_BIN" -c "print($MINUTES / 60)")" ${overrides[@]+"${overrides[@]}"})
  mkdir -p "$folder"
  say "fairseq-hydra-train --config-dir $CONFIGS --config-name $config (${device#common.}, update_freq $frequency)"
  "$PYTHON_BIN" -m fairseq_cli.hydra_train --config-dir "$CONFIGS" --config-name "$config" \
    "hydra.run.dir=$folder/hydra" "common.user_dir=$USER_DIR" "common.seed=$SEED" "$device" \
    "task.data=$data" "checkpoint.save_dir=$folder/checkpoints" "optimization.update_freq=[$frequency]" \
    "$@" ${overrides[@]+"${overrides[@]}"}
}
