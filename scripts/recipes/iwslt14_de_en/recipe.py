"""Builds the corpus of Wu & Zhao 2018 from the IWSLT 2014 release: tokenized, filtered, drawn.

    python -m recipes.engine.corpus iwslt14_de_en --raw DIR... --out DIR [--valid N] [--lines N]

Writes train, valid and test.de-en.{de,en}, Moses-tokenized, and test.raw.de-en.{de,en} as released, for
detokenized scores.
"""

import argparse
from pathlib import Path
from typing import List, Sequence

from recipes.engine.corpus import Expected
from recipes.engine.measures import MeasureRecipe
from recipes.engine.recipe import option
from recipes.text.corpus_files import Pair, short_enough, write_pairs
from recipes.text.drawing import draw_sets
from recipes.text.moses import tokenize_pairs
from recipes.text.mteval import read_set
from recipes.text.raw_text import find_file
from recipes.text.talks import read_talks

LANGUAGES = ("de", "en")
ARCHIVE = "the release's de-en.tgz"
# The paper's test set. dev2012 is a set of TEDx talks and has that in its name.
TEST_SETS = ("TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012")
MAX_WORDS = 50
DRAWING = 1  # the seed of the drawn validation set


class Iwslt14(MeasureRecipe):
    """Wu & Zhao 2018, Tables 1 and 2 and Figure 2."""

    name = "iwslt14_de_en"
    title = "IWSLT 2014 German-English: goodness measures (Wu & Zhao 2018, Tables 1 and 2)"
    size = "153K pairs"
    pair = "de-en"
    sentences = 32
    options = (
        option(
            "--valid",
            "pairs drawn from the training text for validation (default: 6969)",
            type=int,
            default=6969,
        ),
    )
    corpus_options = ("valid",)
    expected = (
        Expected("train", "train.de-en.de", "lines", "153K"),
        Expected("train, German", "train.de-en.de", "types", "100K"),
        Expected("train, English", "train.de-en.en", "types", "50K"),
        Expected("valid", "valid.de-en.de", "lines", "6,969"),
        Expected("test", "test.de-en.de", "lines", "6,750"),
    )


RECIPE = Iwslt14()


def read_test(folders: Sequence[Path], name: str) -> List[Pair]:
    """Reads one of :data:`TEST_SETS`.

    Raises:
        ValueError: If a file is missing or holds no segments, or the sides have different ones.
        OSError: If a file cannot be read.
    """
    paths = []
    for language in LANGUAGES:
        file = f"IWSLT14.{name}.de-en.{language}.xml"
        names = dict.fromkeys((file, file.replace("TEDX", "TED")))  # some copies call dev2012 so
        paths.append(find_file(folders, list(names), ARCHIVE))
    return read_set(*paths)


def straight_apostrophes(pairs: Sequence[Pair]) -> List[Pair]:
    """The test files have U+2019 where the training text has an apostrophe; all preparations of this
    corpus that results are compared with make them alike."""
    return [(german.replace("’", "'"), english.replace("’", "'")) for german, english in pairs]


def build(args: argparse.Namespace) -> None:
    """Reads the release and writes the corpus."""
    # As in the usual preparation of this corpus, titles and descriptions belong to the text.
    pairs = read_talks(args.raw, "-".join(LANGUAGES), ARCHIVE)[: args.lines]
    tests = {name: read_test(args.raw, name) for name in TEST_SETS}
    tokenized = tokenize_pairs(pairs, LANGUAGES, args.workers)
    kept = [pair for pair in tokenized if short_enough(pair, MAX_WORDS)]
    valid, train = draw_sets(kept, [args.valid], DRAWING)
    raw_test = [pair for name in TEST_SETS for pair in tests[name]]
    test = tokenize_pairs(straight_apostrophes(raw_test), LANGUAGES, args.workers)
    for split, content in (
        ("train", train),
        ("valid", valid),
        ("test.raw", raw_test),
        ("test", test),
    ):
        write_pairs(args.out, split, "de", content)
    print(f"training text: {len(pairs):,} pairs, {len(kept):,} of 1 to {MAX_WORDS} words")
    print("test: " + ", ".join(f"{name} {len(found):,}" for name, found in tests.items()))
