#!/usr/bin/env python3
"""Builds the corpus of Sennrich, Haddow & Birch 2016 for one pair from WMT 2015's release.

    corpus.py --pair en-de --raw DIR... --out DIR

Training text: for en-de Europarl v7, Common Crawl and News Commentary v10, for en-ru Common Crawl, News
Commentary v10, Yandex's corpus and Wiki Headlines; newstest2013 for validation, newstest2015 for the test.
Writes train, valid and test.PAIR.xx, Moses-tokenized and truecased as the paper's, test.raw.PAIR.xx as
released, and truecase.PAIR.xx, the counts that decide about case.

Pairs with a side of no or of more than 50 tokens are left out: the paper does not say which it left out.
"""

import argparse
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Iterator, List, Optional, Sequence

from corpus_files import Pair, paths_of, read_lines, short_enough, write_lines, write_pairs
from moses import learn_truecaser, tokenize_pairs, truecase_lines
from mteval import read_set
from raw_text import find_file, plain, read_parallel
from raw_text import read_lines as read_raw_lines
from script import make_parser, run_script

ENGLISH = "en"

# What the releases call their files; {0} is the other language. One file holds both sides of the headlines.
EUROPARL = ("europarl-v7.{0}-en.en", "europarl-v7.{0}-en.{0}")
COMMON_CRAWL = ("commoncrawl.{0}-en.en", "commoncrawl.{0}-en.{0}")
NEWS_COMMENTARY = ("news-commentary-v10.{0}-en.en", "news-commentary-v10.{0}-en.{0}")
YANDEX = ("corpus.en_{0}.1m.en", "corpus.en_{0}.1m.{0}")
HEADLINES = ("wiki.{0}-en",)
TRAINING = {
    "en-de": (EUROPARL, COMMON_CRAWL, NEWS_COMMENTARY),
    "en-ru": (COMMON_CRAWL, NEWS_COMMENTARY, YANDEX, HEADLINES),
}
HEADLINE_SEPARATOR = "|||"
ARCHIVE = "what sources.tsv names for wmt15"
# The sets of 2013 are "src" files in all languages; some copies of the development sets call one side "ref".
VALID = (("newstest2013-src.{0}.sgm", "newstest2013-ref.{0}.sgm"),) * 2
TEST = (("newstest2015-en{1}-src.{0}.sgm",), ("newstest2015-en{1}-ref.{0}.sgm",))


def read_training(
    folders: Sequence[Path], pair: str, limit: Optional[int], counts: Counter
) -> Iterator[Pair]:
    """Yields every training pair, English first.

    Args:
        folders: where the released files lie, at whatever depth.
        pair: ``en-de`` or ``en-ru``.
        limit: only the first so many of each corpus.
        counts: gets the pairs of each corpus.

    Raises:
        ValueError: If a file is missing, or two do not belong together.
        OSError: If one cannot be read.
    """
    other = pair.split("-")[1]
    for names in TRAINING[pair]:
        paths = [find_file(folders, [name.format(other)], ARCHIVE) for name in names]
        pairs = read_headlines(*paths) if names is HEADLINES else read_parallel(*paths)
        for found in islice(pairs, limit):
            counts[paths[0].name] += 1
            yield found


def read_headlines(path: Path) -> Iterator[Pair]:
    """Yields the Wiki Headlines, ``Russian ||| English`` in each line, English first.

    Raises:
        ValueError: With path and line, for a line of another form.
        OSError: If the file cannot be read.
    """
    for number, line in enumerate(read_raw_lines(path), start=1):
        cells = line.split(HEADLINE_SEPARATOR)
        if len(cells) != 2:
            raise ValueError(
                f"{path}:{number}: expected two titles and {HEADLINE_SEPARATOR} between them, found {line!r}"
            )
        yield plain(cells[1]), plain(cells[0])


def read_news(folders: Sequence[Path], pair: str, names: Sequence[Sequence[str]]) -> List[Pair]:
    """Reads a test set, English first.

    Raises:
        ValueError: If a side is missing, or the sides have other segments.
        OSError: If a file cannot be read.
    """
    languages = pair.split("-")
    paths = [
        find_file(folders, [name.format(language, languages[1]) for name in of_side], ARCHIVE)
        for language, of_side in zip(languages, names)
    ]
    return read_set(*paths)


def truecase_files(folder: Path, splits: Sequence[str], pair: str, workers: Optional[int]) -> None:
    """Truecases the sets of the corpus in their place, by the counts of the first, the training text."""
    for side, language in enumerate(pair.split("-")):
        model = folder / f"truecase.{pair}.{language}"
        for split in splits:
            path = paths_of(folder, split, ENGLISH, pair.split("-")[1])[side]
            lines = read_lines(path)
            if split == splits[0]:
                learn_truecaser(lines, model)
            write_lines(path, truecase_lines(lines, model, workers))


def build(args: argparse.Namespace) -> None:
    """Reads the releases and writes the corpus; says how much of the training text is kept."""
    languages = args.pair.split("-")
    target = languages[1]
    args.out.mkdir(parents=True, exist_ok=True)
    held_out = {
        "valid": read_news(args.raw, args.pair, VALID),
        "test": read_news(args.raw, args.pair, TEST),
    }
    counts: Counter = Counter()
    training = read_training(args.raw, args.pair, args.lines, counts)
    tokenized = tokenize_pairs(training, languages, args.workers)
    short = (pair for pair in tokenized if short_enough(pair, args.max_words))
    kept = write_pairs(args.out, "train", ENGLISH, short, target)
    for split, pairs in held_out.items():
        tokens = tokenize_pairs(pairs, languages, args.workers)
        write_pairs(args.out, split, ENGLISH, tokens, target)
    write_pairs(args.out, "test.raw", ENGLISH, held_out["test"], target)
    truecase_files(args.out, ("train", *held_out), args.pair, args.workers)
    for corpus, pairs in counts.items():
        print(f"{corpus}: {pairs:,} pairs")
    print(f"train: {kept:,} of {sum(counts.values()):,} pairs have 1 to {args.max_words} tokens")


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--pair", choices=sorted(TRAINING), required=True)
    parser.add_argument("--raw", type=Path, nargs="+", required=True, help="folders of the files")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lines", type=int, help="only the first N pairs of each corpus")
    parser.add_argument("--max-words", type=int, default=50, help="default: %(default)s")
    parser.add_argument("--workers", type=int)
    return run_script(parser, build)


if __name__ == "__main__":
    sys.exit(main())
