#!/usr/bin/env bash
# Compares ways of segmenting many files, every second one compressed: one call of apply-bpe, and one call per
# file in a loop and by xargs, in turns.
#
#   bash scripts/benchmarks/segment_corpus.sh [--files 24] [--rounds 3] [--workers N] [TEXT...]
#
# The TEXTs (UTF-8, one sentence per line; generated if none is given) are joined and split into files of very
# different sizes. PYTHON_BIN=/path/to/python uses an existing environment with the package. A row shows the
# round with the median time: its seconds, CPU seconds, and the number of processors kept busy.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

files=24 rounds=3 workers="$(getconf _NPROCESSORS_ONLN)"
while [[ "${1:-}" == --* ]]; do
  case "$1" in
    --files) files="$2" ;;
    --rounds) rounds="$2" ;;
    --workers) workers="$2" ;;
    *) die "unknown option $1" ;;
  esac
  shift 2
done
if [ -z "${PYTHON_BIN:-}" ]; then
  ensure_environment quickstart
  PYTHON_BIN="$VENV/bin/python"
fi
export PYTHON_BIN PYTHONPATH="$ROOT${PYTHONPATH:+:$PYTHONPATH}"
subword() { "$PYTHON_BIN" -m fairseq_subword_ext "$@"; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

if [ $# -eq 0 ]; then
  say "generating 30 MB of text"
  "$PYTHON_BIN" -c 'import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])
from bpe_text import words_text; words_text(Path(sys.argv[2]), 30)' "$ROOT/scripts/benchmarks" "$work/text"
  set -- "$work/text"
fi
cat "$@" > "$work/all"
lines="$(wc -l < "$work/all")"
say "$(wc -c < "$work/all") bytes, $lines lines, $files files, $workers workers; learning 32000 merges"
subword learn-bpe -i "$work/all" -o "$work/codes" -s 32000 2> /dev/null

# The file of rank r gets a share proportional to 1 / (r + 1); every second one is compressed.
mkdir "$work/in"
first=1
for ((rank = 1; rank <= files; rank++)); do
  last="$(awk -v n="$files" -v r="$rank" -v all="$lines" \
    'BEGIN { for (i = 1; i <= n; i++) { sum += 1 / (i + 1); if (i == r) part = sum } print int(all * part / sum) }')"
  sed -n "$first,${last}p;${last}q" "$work/all" > "$work/in/part$rank.txt"
  if ((rank % 2 == 0)); then gzip "$work/in/part$rank.txt"; fi
  first=$((last + 1))
done

one_call() { subword apply-bpe -c "$work/codes" -i "$work/in/*" --output-dir "$work/out" --num-workers "$1"; }
one_call_per_file() { subword apply-bpe -c "$work/codes" -i "$2" -o "$work/out/${2##*/}" --num-workers "$1"; }
with_gzip() { # without support for compressed files in -i and -o
  local target="$work/out/${1##*/}"
  case "$1" in
    *.gz) gzip -dc "$1" | subword apply-bpe -c "$work/codes" | gzip > "$target" ;;
    *) subword apply-bpe -c "$work/codes" -i "$1" -o "$target" ;;
  esac
}
export work
export -f subword one_call_per_file with_gzip
by_xargs() { printf '%s\n' "$work"/in/* | xargs -P "$workers" -I FILE bash -c "$1 FILE"; }
loop() {
  local path
  for path in "$work"/in/*; do "$@" "$path"; done
}
ways=(
  "one call, 1 worker|one_call 1"
  "one call, $workers workers|one_call $workers"
  "one call per file, $workers workers each|loop one_call_per_file $workers"
  "one call per file, xargs -P $workers|by_xargs 'one_call_per_file 1'"
  "zcat, apply-bpe and gzip, one file at a time|loop with_gzip"
  "zcat, apply-bpe and gzip, xargs -P $workers|by_xargs with_gzip"
)
content() { (cd "$work/out" && for name in *; do gzip -dcf "$name"; done | cksum); }
for ((round = 1; round <= rounds; round++)); do
  for way in "${ways[@]}"; do
    rm -rf "$work/out"
    mkdir "$work/out"
    TIMEFORMAT="%R %U %S|${way%%|*}"
    { time eval "${way##*|}" 2> "$work/errors"; } 2>> "$work/times" || die "$(tail -n 1 "$work/errors")"
    [ "$round" -gt 1 ] || content >> "$work/contents"
  done
done
[ "$(sort -u "$work/contents" | wc -l)" -eq 1 ] || die "the outputs differ between the ways"

printf '| | seconds | times the first | CPU s | processors busy | lines/s |\n|---|---|---|---|---|---|\n'
base=""
for way in "${ways[@]}"; do
  name="${way%%|*}"
  row="$(awk -F'|' -v name="$name" '$2 == name { split($1, s, " "); print s[1], s[2] + s[3] }' "$work/times" | sort -n \
    | awk '{ row[NR] = $0 } END { print row[int((NR + 1) / 2)] }')"
  base="${base:-${row% *}}"
  awk -v name="$name" -v wall="${row% *}" -v cpu="${row#* }" -v base="$base" -v lines="$lines" \
    'BEGIN { printf "| %s | %.2f | %.2f | %.2f | %.2f | %d |\n", name, wall, wall / base, cpu, cpu / wall, lines / wall }'
done
