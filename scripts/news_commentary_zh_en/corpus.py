#!/usr/bin/env python3
"""Builds the Chinese-English corpus of Wu & Zhao 2018 out of News Commentary.

    corpus.py --raw DIR... --out DIR [--valid N] [--test N]

Writes train, valid and test.zh-en.{zh,en}: English Moses-tokenized, Chinese as it is (it is not cut
into words; what stands between spaces is the unit that merges build up in), and test.raw.zh-en.{zh,en}
for detokenized scores.
"""

import argparse
import sys
from pathlib import Path

from corpus_files import write_pairs
from drawing import draw_sets
from moses import tokenize_lines
from raw_files import read_pairs
from script import make_parser, run_script


def build(args: argparse.Namespace) -> None:
    """Reads the release and writes the corpus."""
    pairs, paths = read_pairs(args.raw, args.release)
    if args.lines:
        pairs = pairs[: args.lines]
    valid, test, train = draw_sets(pairs, [args.valid, args.test], args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    write_pairs(args.out, "test.raw", "zh", test)
    for split, raw in (("train", train), ("valid", valid), ("test", test)):
        english = tokenize_lines([pair[1] for pair in raw], "en", args.workers)
        write_pairs(args.out, split, "zh", [(pair[0], line) for pair, line in zip(raw, english)])
    print(
        f"{', '.join(path.name for path in paths)}: {len(pairs):,} pairs with words on both sides"
    )


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--raw", type=Path, nargs="+", required=True, help="folders of its files")
    parser.add_argument("--release", default="v12", help="default: %(default)s")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--valid", type=int, default=3000, help="pairs drawn for validation")
    parser.add_argument("--test", type=int, default=3000, help="pairs drawn for the test")
    parser.add_argument("--lines", type=int, help="read only the first N pairs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int)
    return run_script(parser, build)


if __name__ == "__main__":
    sys.exit(main())
