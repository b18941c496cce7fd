#!/usr/bin/env python3
"""Leaves out training pairs of which a side is very short or very long, as FLoRes does.

    filter_lengths.py --corpus DIR --codes CODES --out DIR

Lengths are counted in pieces of the given BPE: 6 to 250 stay. The other sets are copied whole.
"""

import argparse
import shutil
import sys
from pathlib import Path

from corpus_files import paths_of, read_pairs, write_pairs
from script import make_parser, run_script

from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter

LANGUAGE = "si"


def build_parser() -> argparse.ArgumentParser:
    parser = make_parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--codes", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shortest", type=int, default=6, help="(default: %(default)s)")
    parser.add_argument("--longest", type=int, default=250, help="(default: %(default)s)")
    return parser


def main() -> int:
    return run_script(build_parser(), run)


def run(args: argparse.Namespace) -> None:
    segmenter = Segmenter(MergeTable.load(args.codes))
    pairs = read_pairs(args.corpus, "train", LANGUAGE)
    sides = [segmenter.segment_lines([pair[side] for pair in pairs]) for side in (0, 1)]
    lengths = [tuple(len(side.split()) for side in pair) for pair in zip(*sides)]
    kept = [
        pair
        for pair, pieces in zip(pairs, lengths)
        if args.shortest <= min(pieces) and max(pieces) <= args.longest
    ]
    short = sum(min(pieces) < args.shortest for pieces in lengths)
    print(
        f"train: {len(kept):,} of {len(pairs):,} pairs kept; shorter than {args.shortest} pieces: {short:,}; "
        f"else longer than {args.longest}: {len(pairs) - len(kept) - short:,}"
    )
    if not kept:
        raise ValueError(f"{args.corpus}: no training pair is long enough; give more --lines")
    args.out.mkdir(parents=True, exist_ok=True)
    write_pairs(args.out, "train", LANGUAGE, kept)
    for split in ("valid", "test"):
        for source, target in zip(
            paths_of(args.corpus, split, LANGUAGE), paths_of(args.out, split, LANGUAGE)
        ):
            shutil.copyfile(source, target)


if __name__ == "__main__":
    sys.exit(main())
