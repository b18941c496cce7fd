#!/usr/bin/env python3
"""Builds the English-German corpus of Wang, Cho & Gu 2020 from WMT 2014's release.

    corpus.py --raw DIR --out DIR [--max-words N]

Training text is Europarl v7, Common Crawl and News Commentary v9, validation text newstest2013, test text
newstest2014 with all its 3,003 sentences. Writes train, valid and newstest2014.en-de.{en,de}, Moses-tokenized,
and newstest2014.raw.en-de.{en,de} as the release has it, for detokenized scores.

Training pairs of which a side has no words, or more than --max-words, are left out; nothing else is changed.
"""

import argparse
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Iterator, Optional

from corpus_files import Pair, short_enough, write_pairs
from moses import tokenize_pairs
from mteval import read_set
from raw_text import find_file, read_parallel
from script import make_parser, run_script

SOURCE, TARGET = LANGUAGES = ("en", "de")
TRAIN = {
    "europarl-v7.de-en": "training-parallel-europarl-v7.tgz",
    "commoncrawl.de-en": "training-parallel-commoncrawl.tgz",
    "news-commentary-v9.de-en": "training-parallel-nc-v9.tgz",
}
VALID = ("newstest2013-src.en.sgm", "newstest2013-ref.de.sgm")
TEST = ("newstest2014-deen-src.en.sgm", "newstest2014-deen-ref.de.sgm")


def read_train(raw: Path, lines: Optional[int], counts: Counter) -> Iterator[Pair]:
    """Yields the training pairs as they are released, and counts them by their file.

    Raises:
        ValueError: If a file is missing, or the sides differ in length.
        OSError: If a file cannot be read.
    """
    for name, archive in TRAIN.items():
        sides = [find_file([raw], [f"{name}.{language}"], archive) for language in LANGUAGES]
        for pair in islice(read_parallel(*sides), lines):
            counts[name] += 1
            yield pair


def kept_pairs(pairs: Iterator[Pair], max_words: int) -> Iterator[Pair]:
    return (pair for pair in pairs if short_enough(pair, max_words))


def build(args: argparse.Namespace) -> None:
    """Reads the release and writes the corpus."""
    held_out = {
        "valid": read_set(*(find_file([args.raw], [name], "dev.tgz") for name in VALID)),
        "newstest2014": read_set(
            *(find_file([args.raw], [name], "test-full.tgz") for name in TEST)
        ),
    }
    args.out.mkdir(parents=True, exist_ok=True)
    counts: Counter = Counter()
    tokenized = tokenize_pairs(read_train(args.raw, args.lines, counts), LANGUAGES, args.workers)
    kept = write_pairs(args.out, "train", SOURCE, kept_pairs(tokenized, args.max_words), TARGET)
    for split, pairs in held_out.items():
        tokens = tokenize_pairs(pairs, LANGUAGES, args.workers)
        write_pairs(args.out, split, SOURCE, tokens, TARGET)
    write_pairs(args.out, "newstest2014.raw", SOURCE, held_out["newstest2014"], TARGET)
    for name, found in counts.items():
        print(f"{name}: {found:,} pairs")
    print(f"train: {kept:,} of {sum(counts.values()):,} pairs have 1 to {args.max_words} words")


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--raw", type=Path, required=True, help="folder of the release's files")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--max-words", type=int, default=250, help="default: %(default)s")
    parser.add_argument("--lines", type=int, help="only the first pairs of each training file")
    parser.add_argument("--workers", type=int, help="number of tokenizing processes")
    return run_script(parser, build)


if __name__ == "__main__":
    sys.exit(main())
