#!/usr/bin/env bash
# Runs all checks that need a GPU, in at most ten minutes: checks that torch sees the device, runs the tests
# marked gpu, measures training and generation of none, conv and gru, compared to the plain Transformer and
# Fairseq's example, in fp32, fp16 and bf16 at base size, trains a base model for three minutes on the corpus
# of names, and writes all results to OUT/gpu.json.
#
#   bash scripts/gpu.sh [--out DIR] [--wheels DIR] [--seconds N] [--minutes N] [--cpu] [--tiny]
#   bash scripts/gpu.sh --collect DIR [--for 3.12] [--without NAME,NAME]
#
#   --out DIR      folder for the record and the logs (default runs/gpu in the checkout)
#   --wheels DIR   folder with the packages that the machine lacks; no network is used (default wheels/)
#   --seconds N    total time (default 570): phases that do not fit are skipped, and the record says so
#   --minutes N    training time (default 3)
#   --cpu, --tiny  for trying the script without a GPU
#   --collect DIR  on a machine with a network: download the packages for --wheels
#   --for VERSION  Python version on the machine with the GPU (default: this machine's)
#   --without LIST packages that it already has, such as scipy,scikit-learn
#
# The machine needs a Python with pip, numpy and a torch that sees the GPU, and a C++ compiler. PYTHON_BIN
# selects the Python; otherwise .venv of the checkout and python3 are tried.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"
started="$(date +%s)"

# Imports of fairseq, this package and the tests, except torch and numpy; versions are in constraints.txt.
TOOLS="setuptools wheel cython pybind11"
PACKAGES="ve-fairseq hydra-core omegaconf antlr4-python3-runtime PyYAML bitarray cffi pycparser sacrebleu
portalocker tabulate colorama lxml regex tqdm packaging typing_extensions scikit-learn scipy joblib threadpoolctl
narwhals cloudpickle sentencepiece pycountry babel pytest pluggy iniconfig Pygments pytest-timeout pytest-xdist execnet
hypothesis sortedcontainers"
# This one has no wheels and is built on the machine with the GPU.
SOURCES="antlr4-python3-runtime"

out="$ROOT/runs/gpu" wheels="$ROOT/wheels" seconds=570 collect= version= without= cpu= passed=()
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) script_help; exit 0 ;;
    --cpu) cpu=1 passed+=(--cpu) ;;
    --tiny) passed+=(--tiny) ;;
    --out | --wheels | --seconds | --minutes | --collect | --for | --without)
      [ $# -ge 2 ] || die "$1 needs a value (see --help)"
      case "$1" in
        --out) out="$2" ;;
        --wheels) wheels="$2" ;;
        --seconds) seconds="$2" ;;
        --minutes) passed+=(--minutes "$2") ;;
        --collect) collect="$2" ;;
        --for) version="$2" ;;
        --without) without="$2" ;;
      esac
      shift
      ;;
    *) die "unknown option: $1 (see --help)" ;;
  esac
  shift
done

# pinned NAME : NAME==VERSION as in constraints.txt
pinned() { grep -im 1 "^$1==" "$ROOT/constraints.txt" || echo "$1"; }

# sees_device PYTHON : succeeds if its torch can be used here
sees_device() {
  "$1" -c "import sys, torch; sys.exit(not ('$cpu' or torch.cuda.is_available()))" 2> /dev/null
}

# find_python_with_torch : prints the first Python whose torch can be used here
find_python_with_torch() {
  local candidate
  for candidate in "${PYTHON_BIN:-}" "$VENV/bin/python" python3 python; do
    [ -n "$candidate" ] && command -v "$candidate" > /dev/null && sees_device "$candidate" || continue
    command -v "$candidate"
    return
  done
  die "no Python here has a torch that sees a GPU (tried PYTHON_BIN, $VENV/bin/python, python3): set PYTHON_BIN, or --cpu"
}

# missing NAME... : prints those that $python lacks
missing() {
  "$python" - "$@" << 'CODE'
import importlib.metadata
import importlib.util
import sys

for name in sys.argv[1:]:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        if name != "ve-fairseq" or not importlib.util.find_spec("fairseq"):  # another build of it
            print(name)
CODE
}

# install_missing NAME... : installs from $wheels into a separate folder; $python itself is not changed
install_missing() {
  local names=() name log="$out/install.log"
  for name in $(missing "$@"); do names+=("$(pinned "$name")"); done
  [ ${#names[@]} -gt 0 ] || return 0
  say "installing ${names[*]} from $wheels into $site"
  "$python" -m pip install --disable-pip-version-check -q --no-index --no-deps --no-build-isolation \
    --find-links "$wheels" --upgrade --target "$site" "${names[@]}" > "$log" 2>&1 && return
  { grep -iE '^ERROR' "$log" || tail -n 5 "$log"; } >&2
  die "missing: ${names[*]}; looked for them in $wheels (pip's output: $log). On a machine with a network:\
 bash scripts/gpu.sh --collect DIR --for $("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])'); then\
 copy DIR here and give it as --wheels"
}

# collect_packages DIR : downloads PACKAGES, except --without, for the Python version --for
collect_packages() {
  local folder="$1" name here wanted=() sources=() python="${PYTHON_BIN:-$VENV/bin/python}"
  [ -x "$(command -v "$python")" ] || python="$(command -v python3)"
  here="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
  for name in $TOOLS $PACKAGES; do
    case ",$without," in *",$name,"*) continue ;; esac
    case " $SOURCES " in
      *" $name "*) sources+=("$(pinned "$name")") ;;
      *) wanted+=("$(pinned "$name")") ;;
    esac
  done
  mkdir -p "$folder"
  say "downloading ${#wanted[@]} wheels and ${#sources[@]} sources for Python ${version:-$here} into $folder"
  "$python" -m pip download --disable-pip-version-check -q --no-deps --only-binary :all: -d "$folder" \
    --python-version "${version:-$here}" --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 \
    --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --platform manylinux1_x86_64 "${wanted[@]}"
  "$python" -m pip download --disable-pip-version-check -q --no-deps --no-build-isolation --no-binary :all: \
    -d "$folder" "${sources[@]}"
  say "$(ls "$folder" | wc -l) files, $(du -sh "$folder" | cut -f1); on the machine with the GPU: bash scripts/gpu.sh --wheels $folder"
}

if [ -n "$collect" ]; then
  collect_packages "$collect"
  exit
fi

mkdir -p "$out"
out="$(cd "$out" && pwd)"
python="$(find_python_with_torch)" || exit 1
site="$out/site"
export PYTHON_BIN="$python" PYTHONPATH="$ROOT:$site" PYTHONWARNINGS="${PYTHONWARNINGS:-ignore}"
# shellcheck disable=SC2086 # lists of names
install_missing $TOOLS
# shellcheck disable=SC2086
install_missing $PACKAGES
# Builds the core, unless it is up to date.
say "building the extension"
(cd "$ROOT" && "$python" setup.py -q build_ext --inplace) > "$out/build.log" 2>&1 \
  || { tail -n 5 "$out/build.log" >&2; die "the C++ extension failed to compile (the compiler's output: $out/build.log)"; }
"$python" -c 'import fairseq_subword_ext; fairseq_subword_ext.register()' > "$out/import.log" 2>&1 \
  || die "fairseq or this package cannot be imported: $(tail -n 1 "$out/import.log") (see $out/import.log)"
exec "$python" "$ROOT/scripts/benchmarks/gpu.py" --out "$out" --seconds "$((seconds - ($(date +%s) - started)))" \
  ${passed[@]+"${passed[@]}"}
