#!/usr/bin/env bash
# LibreOffice's offline help, many languages into English: from Debian's packages to BLEU.
#
#   bash scripts/libreoffice_help_x_en/run.sh --languages de,dz,hi,ja [SYSTEM...]
#
# SYSTEM is a row of systems.tsv (default bbpe_2k_gru). Where the text comes from:
#   --languages a,b   the packages libreoffice-help-LANG, fetched by apt-get download (nothing is installed)
#   --raw DIR         unpacked packages, or the help folder of an installed LibreOffice; all its languages,
#                     or those of --languages
#   --corpus DIR      a corpus that is ready: SPLIT.xx-en.xx and SPLIT.xx-en.en
#
# Other options: --work DIR (default runs/libreoffice_help_x_en), --minutes N and --updates N (of training),
# --lines N (of each training file), --seed N, --workers N, --set KEY=VALUE (any setting of Hydra's),
# --cpu, --fresh. If run again, it keeps finished steps and resumes training.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
recipe_options "$@"
[ "${#SYSTEMS[@]}" -gt 0 ] || SYSTEMS=(bbpe_2k_gru)
run_x_en "raw=$RAW corpus=$CORPUS languages=$LANGUAGES lines=$MAX_PAIRS"
say "done; everything is in $WORK"
