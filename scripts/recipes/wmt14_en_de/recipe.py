"""Builds the English-German corpus of Wang, Cho & Gu 2020 from WMT 2014's release.

    python -m recipes.engine.corpus wmt14_en_de --raw DIR... --out DIR [--lines N]

Training text is Europarl v7, Common Crawl and News Commentary v9, validation text newstest2013, test text
newstest2014 with all its 3,003 sentences. Writes train, valid and newstest2014.en-de.{en,de}, Moses-tokenized,
and newstest2014.raw.en-de.{en,de} as the release has it, for detokenized scores.

Training pairs are left out if a side has no words or more than 250; nothing else is changed.
"""

import argparse
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Iterator, Optional, Sequence

from recipes.engine.corpus import Expected
from recipes.engine.pair import PairRecipe
from recipes.text.corpus_files import Pair, short_enough, write_pairs
from recipes.text.moses import tokenize_pairs
from recipes.text.mteval import read_set
from recipes.text.raw_text import find_file, read_parallel

SOURCE, TARGET = LANGUAGES = ("en", "de")
TRAIN = {
    "europarl-v7.de-en": "training-parallel-europarl-v7.tgz",
    "commoncrawl.de-en": "training-parallel-commoncrawl.tgz",
    "news-commentary-v9.de-en": "training-parallel-nc-v9.tgz",
}
VALID = ("newstest2013-src.en.sgm", "newstest2013-ref.de.sgm")
TEST = ("newstest2014-deen-src.en.sgm", "newstest2014-deen-ref.de.sgm")
MAX_WORDS = 250


class Wmt14(PairRecipe):
    """Wang, Cho & Gu 2020, Table 5."""

    name = "wmt14_en_de"
    title = "WMT 2014 English-German: byte-level subwords (Wang, Cho & Gu 2020, Table 5)"
    paper = "Wang, Cho & Gu 2020"
    size = "4.5M pairs"
    pair = "en-de"
    test_sets = ("newstest2014",)
    moses = True
    more_metrics = ("BLEU",)
    expected = (
        Expected("train", "train.en-de.en", "lines", "4.5M"),
        Expected("valid (newstest2013)", "valid.en-de.en", "lines", "3,000"),
        Expected("test (newstest2014)", "newstest2014.en-de.en", "lines", "3,003"),
    )


RECIPE = Wmt14()


def read_train(folders: Sequence[Path], lines: Optional[int], counts: Counter) -> Iterator[Pair]:
    """Yields the training pairs as they are released, and counts them by their file.

    Raises:
        ValueError: If a file is missing, or the sides differ in length.
        OSError: If a file cannot be read.
    """
    for name, archive in TRAIN.items():
        sides = [find_file(folders, [f"{name}.{language}"], archive) for language in LANGUAGES]
        for pair in islice(read_parallel(*sides), lines):
            counts[name] += 1
            yield pair


def build(args: argparse.Namespace) -> None:
    """Reads the release and writes the corpus."""
    held_out = {
        "valid": read_set(*(find_file(args.raw, [name], "dev.tgz") for name in VALID)),
        "newstest2014": read_set(*(find_file(args.raw, [name], "test-full.tgz") for name in TEST)),
    }
    counts: Counter = Counter()
    tokenized = tokenize_pairs(read_train(args.raw, args.lines, counts), LANGUAGES, args.workers)
    short = (pair for pair in tokenized if short_enough(pair, MAX_WORDS))
    kept = write_pairs(args.out, "train", SOURCE, short, TARGET)
    for split, pairs in held_out.items():
        tokens = tokenize_pairs(pairs, LANGUAGES, args.workers)
        write_pairs(args.out, split, SOURCE, tokens, TARGET)
    write_pairs(args.out, "newstest2014.raw", SOURCE, held_out["newstest2014"], TARGET)
    for name, found in counts.items():
        print(f"{name}: {found:,} pairs")
    print(f"train: {kept:,} of {sum(counts.values()):,} pairs have 1 to {MAX_WORDS} words")
