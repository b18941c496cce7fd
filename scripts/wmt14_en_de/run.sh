#!/usr/bin/env bash
# WMT 2014, English to German (Wang, Cho & Gu 2020, Table 5): from the raw files to the table, one command per row.
#
#   bash scripts/wmt14_en_de/run.sh [OPTION...] SYSTEM...
#
# SYSTEM is a row of systems.tsv: base_byte_gru, base_bbpe_2k_gru, base_bbpe_4k_gru, base_char_gru, base_bpe_32k,
# base_bpe_32k_gru, and the same six with big_. Without one, the systems are listed and the table of all
# results so far is printed beside the paper's.
#
#   --raw DIR    folder with the five archives of scripts/recipes/sources.tsv, or their contents; nothing
#                is then downloaded
#   --work DIR   folder of the run (default runs/wmt14_en_de in the checkout)
#   --update-freq N   batches per GPU and update; by default chosen so that all GPUs together have the
#                configuration's batch: base 8 on one GPU and 1 on eight, big 16 and 2
#   --cpu, --updates N, --minutes N, --seed N, --lines N, --workers N, --generate "FLAGS", --set KEY=VALUE,
#   --fresh:     as in scripts/recipes/common.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
recipe_options "$@"
[ "${#SYSTEMS[@]}" -gt 0 ] || "$PYTHON_BIN" "$TOOLS/systems.py" "$HERE/systems.tsv"
[ "${#SYSTEMS[@]}" -eq 0 ] || run_pair "raw=$RAW lines=$MAX_PAIRS"
"$PYTHON_BIN" "$TOOLS/table.py" "$HERE/systems.tsv" --work "$WORK"
