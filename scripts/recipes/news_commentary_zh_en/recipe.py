#!/usr/bin/env python3
"""Builds the Chinese-English corpus of Wu & Zhao 2018 from News Commentary: tokenized, drawn.

    recipe.py --raw DIR... --out DIR [--release v12] [--valid N] [--test N] [--lines N]

Writes train, valid and test.zh-en.{zh,en}, Moses-tokenized, and test.raw.zh-en.{zh,en} as released, for
detokenized scores. Chinese is not cut into words: merges build up in the stretches between spaces and punctuation.
"""

import argparse
import sys
import unicodedata
from pathlib import Path
from typing import List, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recipes.engine.commands import Command, tool
from recipes.engine.corpus_figures import Expected
from recipes.engine.measures import MeasureRecipe
from recipes.engine.pair import Decoding, PairRecipe
from recipes.engine.recipe import corpus_parser, option
from recipes.engine.run import Run
from recipes.engine.script import run_script
from recipes.engine.systems import System
from recipes.news_commentary_zh_en.raw_files import read_pairs
from recipes.text.corpus_files import write_pairs
from recipes.text.drawing import draw_sets
from recipes.text.moses import tokenize_pairs

from fairseq_subword_ext.textio.tables import Table

LANGUAGES = ("zh", "en")
FILES = {"v12": "training-parallel-nc-v12.tgz", "v14": "news-commentary-v14.en-zh.tsv.gz"}
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
            "--release",
            "of News Commentary (default: v12, as in the paper)",
            choices=list(FILES),
            default="v12",
        ),
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
    corpus_options = ("release", "valid", "test")
    expected = (
        Expected("all sets", "train.zh-en.zh valid.zh-en.zh test.zh-en.zh", "lines", "227K"),
        Expected("valid", "valid.zh-en.zh", "lines", "3,000"),
        Expected("test", "test.zh-en.zh", "lines", "3,000"),
    )

    def fetch(self, run: Run) -> List[Command]:
        """Brings the release's file; a tab-separated one of any release may lie in ``--raw`` instead."""
        release = run.options.release
        if run.raw and any(run.raw.rglob(f"news-commentary-{release}.*.tsv*")):
            return []
        raw = ["--raw", run.raw] if run.raw else []
        return [tool("engine.fetch", self.name, FILES[release], "--to", run.work / "raw", *raw)]

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
    pairs, paths = read_pairs(args.raw, args.release)
    pairs = pairs[: args.lines]
    valid, test, train = draw_sets(pairs, [args.valid, args.test], DRAWING)
    args.out.mkdir(parents=True, exist_ok=True)
    write_pairs(args.out, "test.raw", "zh", test)
    for split, raw in (("train", train), ("valid", valid), ("test", test)):
        separated = [(separate_punctuation(chinese), english) for chinese, english in raw]
        write_pairs(args.out, split, "zh", tokenize_pairs(separated, LANGUAGES, args.workers))
    names = ", ".join(path.name for path in paths)
    print(f"{names}: {len(pairs):,} pairs with words on both sides")


def main() -> int:
    return run_script(corpus_parser(__doc__, RECIPE), build)


if __name__ == "__main__":
    sys.exit(main())
