#!/usr/bin/env bash
# Wu & Zhao 2018 on IWSLT 2014, German to English: from the raw files to the tables, one command per row.
#
#   bash scripts/iwslt14_de_en/run.sh [OPTION...] SYSTEM...
#
# SYSTEM is a row of systems.tsv: frequency, frq, av, dlg, frq-weighted, av-weighted or dlg-weighted, with
# 10k, 15k, 20k, 25k or 30k merges, as in dlg-weighted-20k. Without SYSTEM it makes the corpus, learns all
# segmentations, and prints Figure 2 and the tables of all results so far.
#
#   --raw DIR    folder with de-en.tgz, or its files; nothing is then downloaded
#   --work DIR   folder of the run (default runs/iwslt14_de_en in the checkout)
#   --valid N    pairs drawn for validation (default 6969)
#   --cpu, --updates N, --minutes N, --seed N, --lines N, --workers N, --set KEY=VALUE, --fresh:
#                as in scripts/recipes/common.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
recipe_options "$@"
run_recipe "$(corpus_settings)"
