"""Builds the Chinese-English corpus of Wu & Zhao 2018 from News Commentary: tokenized, drawn.

    python -m recipes.engine.corpus news_commentary_zh_en --raw DIR... --out DIR [--valid N] [--test N] [--lines N]

Writes train, valid and test.zh-en.{zh,en}, Moses-tokenized, and test.raw.zh-en.{zh,en} as released, for
detokenized scores. Chinese is not cut into words: merges build up in the stretches between spaces and punctuation.
"""

import argparse
import unicodedata
from itertools import islice
from typing import List, Sequence

from recipes.engine.corpus import Expected
from recipes.engine.measures import MeasureRecipe
from recipes.engine.pair import Decoding, PairRecipe
from recipes.engine.recipe import option
from recipes.engine.run import Run
from recipes.engine.systems import System
from recipes.text.corpus_files import write_pairs
from recipes.text.drawing import draw_sets
from recipes.text.moses import tokenize_pairs
from recipes.text.raw_text import find_file, read_parallel

from fairseq_subword_ext.textio.tables import Table

LANGUAGES = ("zh", "en")
RELEASE, ARCHIVE = "news-commentary-v12.zh-en", "training-parallel-nc-v12.tgz"
DRAWING = 1  # the seed of the drawn sets
_FIRST_CJK = "\u2e80"  # characters below it are separated by Moses' tokenizer


class NewsCommentary(MeasureRecipe):
    """Wu & Zhao 2018, Table 3 and Figure 3."""

    name = "news_commentary_zh_en"
    title = "News Commentary Chinese-English: a measure for each side (Wu & Zhao 2018, Table 3)"
    size = "221K pairs"
    pair = "zh-en"
    sentences = 64
    decodings = (Decoding("beam10", "test", ("--beam", "10")),)
    options = (
        option(
            "--valid",
            "pairs drawn for validation (default: 3000)",
            type=int,
            default=3000,
        ),
        option(
            "--test",
            "pairs drawn for the test (default: 3000)",
            type=int,
            default=3000,
        ),
    )
    corpus_options = ("valid", "test")
    expected = (
        Expected("all sets", "train.zh-en.zh valid.zh-en.zh test.zh-en.zh", "lines", "227K"),
        Expected("valid", "valid.zh-en.zh", "lines", "3,000"),
        Expected("test", "test.zh-en.zh", "lines", "3,000"),
    )

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        """Table 3 alone: Figure 2 is about one segmentation of both sides."""
        return PairRecipe.tables(self, run, systems)


RECIPE = NewsCommentary()


def separate_punctuation(line: str) -> str:
    """Puts spaces around Chinese punctuation, as in the paper's Table 4; sacremoses takes 、 and 。 for letters."""
    return "".join(
        f" {one} " if one >= _FIRST_CJK and unicodedata.category(one)[0] in "PS" else one
        for one in line
    )


def build(args: argparse.Namespace) -> None:
    """Reads the release and writes the corpus."""
    paths = [find_file(args.raw, [f"{RELEASE}.{language}"], ARCHIVE) for language in LANGUAGES]
    whole = (
        pair for pair in read_parallel(*paths) if all(pair)
    )  # articles are separated by empty lines
    pairs = list(islice(whole, args.lines))
    valid, test, train = draw_sets(pairs, [args.valid, args.test], DRAWING)
    write_pairs(args.out, "test.raw", "zh", test)
    for split, raw in (("train", train), ("valid", valid), ("test", test)):
        separated = [(separate_punctuation(chinese), english) for chinese, english in raw]
        write_pairs(args.out, split, "zh", tokenize_pairs(separated, LANGUAGES, args.workers))
    print(f"{RELEASE}: {len(pairs):,} pairs with words on both sides")
