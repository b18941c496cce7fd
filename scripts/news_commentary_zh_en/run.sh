#!/usr/bin/env bash
# Wu & Zhao 2018 on News Commentary, Chinese to English: from the raw files to Table 3, one command per cell.
#
#   bash scripts/news_commentary_zh_en/run.sh [OPTION...] SYSTEM...
#
# SYSTEM is a row of systems.tsv, the source side's measure and the target side's: frq-frq, frq-av, frq-dlg,
# av-frq, ..., dlg-dlg, all weighted by word frequency. Without SYSTEM it makes the corpus, learns all
# segmentations, and prints the table of all results so far.
#
#   --raw DIR    folder with training-parallel-nc-v12.tgz, or its files; nothing is then downloaded
#   --release v14  the tab-separated release 14 instead of the paper's 12
#   --work DIR   folder of the run (default runs/news_commentary_zh_en in the checkout)
#   --valid N, --test N   pairs drawn for validation and test (default 3000 each)
#   --cpu, --updates N, --minutes N, --seed N, --lines N, --workers N, --set KEY=VALUE, --fresh:
#                as in scripts/recipes/common.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
recipe_options "$@"
run_recipe "$(corpus_settings)"
