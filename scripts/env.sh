# Sourced by the other scripts: creates or reuses .venv in the checkout and installs the tested versions.
# Usage: source scripts/env.sh; ensure_environment fairseq,quickstart
#
# PYTHON=/path/to/python3.11 chooses the interpreter that creates the environment.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
VENV="$ROOT/.venv"
CONSTRAINTS="${CONSTRAINTS:-$ROOT/constraints.txt}" # a row of scripts/matrix.py has its own

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

# find_python : a Python for which Fairseq has wheels; 3.11 first, since that version is tested
find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3.11 python3.12 python3; do
    [ -n "$candidate" ] && command -v "$candidate" > /dev/null || continue
    if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' 2> /dev/null; then
      command -v "$candidate"
      return
    fi
    [ "$candidate" = "${PYTHON:-}" ] && break
  done
  die "Python 3.11 or 3.12 is needed (3.11 is tested): install python3.11 and python3.11-venv, or set PYTHON=/path/to/python3.11"
}

# find_version 3.N : an interpreter of that version, on PATH or in pyenv
find_version() {
  local candidate
  for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1."*/bin/python python3; do
    if [ "$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2> /dev/null)" = "$1" ]; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

# pip 25.1 and newer resume an interrupted download; older versions ignore this.
export PIP_RESUME_RETRIES="${PIP_RESUME_RETRIES:-5}"

# pip_install WHAT... : prints the size of each large download as it starts, and on failure a one-line error;
# pip's output is in the log. pip's own configuration applies, indexes and proxies included.
pip_install() {
  local log="$VENV/install.log" line
  "$VENV/bin/python" -m pip install --disable-pip-version-check --progress-bar off -c "$CONSTRAINTS" "$@" 2>&1 \
    | tee "$log" | while read -r line; do
      [[ "$line" =~ ^Downloading\ ([^ ]+)\ \(([0-9.]+\ GB|[0-9]{2,}\.[0-9]+\ MB)\) ]] || continue
      say "downloading $(basename "${BASH_REMATCH[1]}"): ${BASH_REMATCH[2]}"
    done && [ "${PIPESTATUS[0]}" = 0 ] && return
  if grep -qiE 'NewConnectionError|name resolution|ConnectTimeout|Could not fetch URL|Connection refused|ProxyError|Read timed out|from versions: none' "$log"; then
    die "the Python package index cannot be reached, or lacks a package: check the network or pip's configuration, then run this again (pip's output: $log)"
  fi
  if grep -qiE 'No space left on device' "$log"; then
    die "the disk is full: free some space, then run this again (pip's output: $log)"
  fi
  if grep -qiE 'Python.h|command .*(gcc|g\+\+|cc).* failed' "$log"; then
    die "a C++ extension failed to compile: install g++ and the headers of $("$VENV/bin/python" -V) (Debian: apt-get install g++ python3-dev), then run this again (the compiler's output: $log)"
  fi
  tail -n 5 "$log" >&2
  die "pip could not install: $* ($(grep '^ERROR: ' "$log" | tail -n 1 | cut -c 8-200); its full output: $log)"
}

has_gpu() { command -v nvidia-smi > /dev/null && nvidia-smi -L > /dev/null 2>&1; }

# install_torch : installs torch first, so that an interrupted call keeps it; keeps a torch that is installed
install_torch() {
  local wanted
  ! "$VENV/bin/python" -c 'import importlib.metadata as m; m.version("torch")' 2> /dev/null || return 0
  wanted="$(grep -m 1 '^torch==' "$CONSTRAINTS")"
  if [ "$(uname -s)" = Linux ] && ! has_gpu; then
    if "$VENV/bin/python" -m pip index versions torch 2> /dev/null | grep -qE "[ ,]${wanted#torch==}\+cpu(,|$)"; then
      wanted="$wanted+cpu"
    else
      say "there is no GPU here, and the package index offers no CPU build of $wanted: what follows may be the one for CUDA, several GB"
      say "to avoid that, stop here and set PIP_EXTRA_INDEX_URL to an index of CPU builds (see docs/installation.md)"
    fi
  fi
  say "installing $wanted (once)"
  pip_install "$wanted" numpy
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
  case ",$extras," in
    *,fairseq,* | *,fairseq-fixed,*) install_torch ;;
  esac
  # Both distributions contain the package fairseq; installing one over the other mixes their files.
  case ",$extras," in
    *,fairseq,*) "$VENV/bin/python" -m pip uninstall -q -y fairseq-fixed > /dev/null 2>&1 || true ;;
    *,fairseq-fixed,*) "$VENV/bin/python" -m pip uninstall -q -y ve-fairseq > /dev/null 2>&1 || true ;;
  esac
  say "installing this package with [$extras] (once)"
  pip_install -e "$ROOT[$extras]"
  echo "$fingerprint" > "$stamp"
}
