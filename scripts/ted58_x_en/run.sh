#!/usr/bin/env bash
# TED talks, 58 languages into English (Wang, Cho & Gu 2020, Table 7, Figure 4): from the archive to BLEU.
#
#   bash scripts/ted58_x_en/run.sh SYSTEM...
#   bash scripts/ted58_x_en/run.sh --figure4 PREFIX [SYSTEM...]
#
# SYSTEM is a row of systems.tsv; without one, the systems are listed and the table of all results so far
# is printed beside the paper's. --figure4 also translates the validation set with all systems that are
# trained, prints BLEU by vocabulary and context (none, conv, gru), and draws PREFIX.png and PREFIX.svg.
#
# Options: --work DIR (default runs/ted58_x_en), --raw DIR (folder that has ted_talks.tar.gz or what is in
# it), --updates N and --minutes N (of training), --languages a,b and --lines N (of each training file; for
# a first look), --seed N, --workers N, --update-freq N (batches per GPU and update; by default
# chosen so that all GPUs together have the configuration's batch), --set KEY=VALUE (any setting of
# Hydra's), --cpu, --fresh. If run again, it keeps finished steps and resumes training.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
recipe_options "$@"
[ "${#SYSTEMS[@]}" -gt 0 ] || "$PYTHON_BIN" "$TOOLS/systems.py" "$HERE/systems.tsv"
[ "${#SYSTEMS[@]}" -eq 0 ] || run_x_en "raw=$RAW languages=$LANGUAGES lines=$MAX_PAIRS"
"$PYTHON_BIN" "$TOOLS/table.py" "$HERE/systems.tsv" --work "$WORK" --where table=7
[ -z "$FIGURE4" ] || bash "$HERE/5_figure4.sh"
