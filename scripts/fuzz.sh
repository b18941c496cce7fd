#!/usr/bin/env bash
# Fuzzes the C++ core with libFuzzer, guided by coverage, under AddressSanitizer and UBSan.
#
#   bash scripts/fuzz.sh [TARGET...] [--minutes N] [--out DIR] [--merge] [--list]
#
#   TARGET         what to fuzz (default: all, one after the other); see tests/fuzz
#   --minutes N    time per target (default 1; fractions such as 0.5 are allowed)
#   --out DIR      folder for the program, the inputs and the findings (default runs/fuzz in the checkout);
#                  inputs found there by an earlier call are used again
#   --merge        finally adds what covers new code to the seeds in tests/fuzz/seeds
#   --list         prints the targets
#
# Needs clang++ with libFuzzer (Debian: apt-get install clang libclang-rt-14-dev). The seeds are also a
# regression test, tests/subword/test_sanitizers.py, which needs any compiler.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

out="$ROOT/runs/fuzz" minutes=1 merge= list= targets=()
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) script_help; exit 0 ;;
    --out | --minutes)
      [ $# -ge 2 ] || die "$1 needs a value (see --help)"
      case "$1" in
        --out) out="$2" ;;
        --minutes) minutes="$2" ;;
      esac
      shift
      ;;
    --merge) merge=1 ;;
    --list) list=1 ;;
    -*) die "unknown option: $1 (see --help)" ;;
    *) targets+=("$1") ;;
  esac
  shift
done

seeds="$ROOT/tests/fuzz/seeds"
known="$(cd "$seeds" && echo *)"
[ -z "$list" ] || { printf '%s\n' $known; exit 0; }
for target in "${targets[@]}"; do
  [[ " $known " == *" $target "* ]] || die "unknown target: $target (known: $known)"
done
[ ${#targets[@]} -gt 0 ] || targets=($known)
seconds="$(awk -v minutes="$minutes" 'BEGIN { s = int(minutes * 60); if (s < 1) exit 1; print s }')" \
  || die "--minutes must be a number above 0, not '$minutes'"

compiler=
for candidate in clang++ clang++-{20,19,18,17,16,15,14}; do
  if command -v "$candidate" > /dev/null; then
    compiler="$candidate"
    break
  fi
done
[ -n "$compiler" ] || die "clang++ with libFuzzer is needed (Debian: apt-get install clang libclang-rt-14-dev)"

# Compiles what has changed.
mkdir -p "$out/objects"
out="$(cd "$out" && pwd)"
program="$out/fuzzer"
flags="-std=c++17 -O1 -g -pthread -DSUBWORD_SMALL_CACHE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
newest_header="$(find "$ROOT/fairseq_subword_ext/clib" "$ROOT/tests/fuzz" -name '*.h' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-)"
find "$ROOT/fairseq_subword_ext/clib" "$ROOT/tests/fuzz" -name '*.cpp' ! -name 'bindings*' ! -name replay.cpp -print0 \
  | while IFS= read -r -d '' source; do
    object="$out/objects/$(basename "$source" .cpp).o"
    [ "$object" -nt "$source" ] && [ "$object" -nt "$newest_header" ] || printf '%s\0%s\0' "$source" "$object"
  done > "$out/stale"
if [ -s "$out/stale" ] || [ ! -x "$program" ]; then
  say "building with $compiler"
  xargs -0 -r -n 2 -P "${MAX_JOBS:-$(nproc)}" sh -c '"$0" $1 -I"$2" -I"$3" -c "$4" -o "$5"' \
    "$compiler" "$flags" "$ROOT/fairseq_subword_ext/clib" "$ROOT/tests/fuzz" < "$out/stale" \
    || die "the core did not compile with $compiler"
  "$compiler" -pthread -fsanitize=fuzzer,address,undefined "$out"/objects/*.o -o "$program" \
    || die "$compiler has no libFuzzer (Debian: apt-get install libclang-rt-14-dev)"
fi

failed=()
for target in "${targets[@]}"; do
  corpus="$out/corpus/$target" log="$out/$target.log"
  mkdir -p "$corpus" "$out/findings"
  status=0
  FUZZ_TARGET="$target" "$program" -max_total_time="$seconds" -max_len=2048 -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$out/findings/$target-" "$corpus" "$seeds/$target" > "$log" 2>&1 || status=$?
  executed="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
  covered="$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | cut -d ' ' -f 2)"
  if [ "$status" = 0 ]; then
    say "$target: ${executed:-0} inputs tried, $covered places of the code reached, nothing found"
  else
    failed+=("$target")
    say "$target: FOUND $(grep -E 'does not hold|ERROR: |runtime error' "$log" | head -n 1) (input: $(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1); log: $log)"
  fi
  if [ -n "$merge" ] && [ "$status" = 0 ]; then
    FUZZ_TARGET="$target" "$program" -merge=1 -max_len=2048 "$seeds/$target" "$corpus" >> "$log" 2>&1
  fi
done
[ ${#failed[@]} = 0 ] || die "findings in: ${failed[*]}"
