# Sourced by the other scripts: creates or reuses .venv in the checkout and installs the tested versions.
# Usage: source scripts/env.sh; ensure_environment fairseq,quickstart
#
# PYTHON=/path/to/python3.11 chooses the interpreter that creates the environment.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
VENV="$ROOT/.venv"

# By default, idle OpenMP threads spin for a long time, so training nearly stops as soon as other programs need
# the processors. 2,000 rounds avoid that and still cover the pauses of training on an idle machine. The user's
# own settings take precedence.
[ -n "${OMP_WAIT_POLICY:-}${GOMP_SPINCOUNT:-}" ] || export GOMP_SPINCOUNT=2000

# script_help : prints the comment at the top of the called script
script_help() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; }

say() { printf '== %s\n' "$*" >&2; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# find_python : a Python that constraints.txt supports; 3.11 first, since that version is tested
find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3.11 python3.12 python3.13 python3; do
    [ -n "$candidate" ] && command -v "$candidate" > /dev/null || continue
    if "$candidate" -c 'import sys; sys.exit(not sys.version_info >= (3, 11))'; then
      command -v "$candidate"
      return
    fi
    [ "$candidate" = "${PYTHON:-}" ] && break
  done
  die "Python 3.11 or newer is needed (3.11 is tested): install python3.11 and python3.11-venv, or set PYTHON=/path/to/python3.11"
}

# pip_install WHAT... : on failure prints a one-line error; pip's output is in the log
pip_install() {
  local log="$VENV/install.log"
  if "$VENV/bin/python" -m pip install --disable-pip-version-check -q -c "$ROOT/constraints.txt" "$@" > "$log" 2>&1; then
    return
  fi
  if grep -qiE 'NewConnectionError|name resolution|ConnectTimeout|Could not fetch URL|Connection refused|ProxyError|Read timed out|from versions: none' "$log"; then
    die "the Python package index cannot be reached, or lacks a package: check the network or pip's configuration, then run this again (pip's output: $log)"
  fi
  if grep -qiE 'Python.h|command .*(gcc|g\+\+|cc).* failed' "$log"; then
    die "a C++ extension failed to compile: install g++ and the headers of $("$VENV/bin/python" -V) (Debian: apt-get install g++ python3-dev), then run this again (the compiler's output: $log)"
  fi
  tail -n 5 "$log" >&2
  die "pip could not install: $* (its full output: $log)"
}

# ensure_environment EXTRAS : installs the package with EXTRAS, for example fairseq,quickstart
ensure_environment() {
  local extras="$1" stamp fingerprint
  command -v c++ > /dev/null || command -v g++ > /dev/null \
    || die "a C++17 compiler is needed: install g++ (Debian: apt-get install g++), then run this again"
  if [ ! -x "$VENV/bin/python" ] || ! "$VENV/bin/python" -c 'import pip' 2> /dev/null; then
    local python
    python="$(find_python)" || exit 1
    say "creating $VENV with $("$python" -V)"
    "$python" -m venv --clear "$VENV" > /dev/null 2>&1 \
      || die "$python cannot create a virtual environment: install its venv module (Debian: apt-get install python3-venv), then run this again"
  fi
  # The stamp covers everything that affects the installation, including the C++ files, so that a changed core
  # is built again.
  fingerprint="$(cd "$ROOT" && { echo "$extras"; cat constraints.txt pyproject.toml setup.py $(find fairseq_subword_ext/clib -type f | sort); } | cksum | tr ' ' -)"
  stamp="$VENV/installed-$extras"
  if [ "$(cat "$stamp" 2> /dev/null)" = "$fingerprint" ]; then
    say "using $VENV"
    return
  fi
  # fairseq-fixed builds from source against torch, numpy and cython. With build isolation, pip would download
  # torch a second time.
  say "installing torch, numpy and the build tools (once)"
  pip_install torch numpy cython wheel setuptools pybind11
  say "installing fairseq and this package with [$extras] (once)"
  pip_install --no-build-isolation -e "$ROOT[$extras]"
  echo "$fingerprint" > "$stamp"
}
