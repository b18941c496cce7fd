#!/usr/bin/env bash
# Learns what the segmentation needs on the training text, segments all sets, and binarizes them with a
# dictionary for each side, cut to the paper's size.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
wmt15_paths
say "2. segment: $SYSTEM_segmentation"
train="$WORK/corpus/train.$PAIR"
if [ -n "$SYSTEM_joint" ]; then
  # shellcheck disable=SC2086 # several flags
  subword learn-joint-bpe-and-vocab $SYSTEM_joint -i "$train.$SOURCE_LANGUAGE" "$train.$TARGET_LANGUAGE" \
    -o "$SOURCE_CODES" --write-vocabulary "$SEGMENTATION/vocabulary".{"$SOURCE_LANGUAGE","$TARGET_LANGUAGE"} \
    --num-workers "$WORKERS"
elif [ -n "$SYSTEM_learn" ]; then
  learn "$SOURCE_CODES" "$SYSTEM_learn" "$train.$SOURCE_LANGUAGE"
  learn "$TARGET_CODES" "$SYSTEM_learn_target" "$train.$TARGET_LANGUAGE"
fi

segment() { # LANGUAGE CODES "BASELINE..." : all sets of one side
  local language="$1" codes="$2" baseline="$3" split vocabulary=()
  case "$baseline" in
    *--shortlist*)
      subword get-vocab -i "$train.$language" -o "$SEGMENTATION/words.$language"
      vocabulary=(--vocabulary "$SEGMENTATION/words.$language")
      ;;
  esac
  for split in train valid test; do
    set -- -i "$WORK/corpus/$split.$PAIR.$language" -o "$SEGMENTATION/text/$split.$language" --num-workers "$WORKERS"
    if [ -n "$codes" ]; then
      subword apply-bpe -c "$codes" "$@"
    else
      # shellcheck disable=SC2086 # several flags
      subword segment-baseline $baseline ${vocabulary[@]+"${vocabulary[@]}"} "$@"
    fi
  done
}
mkdir -p "$SEGMENTATION/text"
segment "$SOURCE_LANGUAGE" "$SOURCE_CODES" "$SYSTEM_segment"
segment "$TARGET_LANGUAGE" "$TARGET_CODES" "$SYSTEM_segment_target"
if [ "$PAIR" = en-de ]; then # what the paper says of is German
  "$PYTHON_BIN" "$TOOLS/expect.py" "$HERE/expected_segments_en_de.tsv" --in "$WORK/segmentations"
fi
rm -rf "$SEGMENTATION/bin"
mkdir -p "$SEGMENTATION/bin"
text="$SEGMENTATION/text"
preprocess "$DATA" --trainpref "$text/train" --validpref "$text/valid" --testpref "$text/test" \
  --nwordssrc "$((SYSTEM_words + 4))" --nwordstgt "$((SYSTEM_words_target + 4))"
grep -o '\[..\] Dictionary: .*' "$DATA.log" | sort -u
