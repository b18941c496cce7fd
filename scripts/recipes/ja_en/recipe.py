"""Joins the three corpora of Wang, Cho & Gu 2020, Table 6: KFTT, TED and JESC, Japanese to English.

    python -m recipes.engine.corpus ja_en --raw DIR... --out DIR [--lines N]

They are the ones that Michel & Neubig 2018 (MTNT) joined, and stay raw text: Japanese is not cut into words,
English not into tokens. Writes {train,valid}.ja-en.{ja,en} of all three, and {kftt,ted,jesc}.ja-en.{ja,en},
the test sets.

KFTT  kyoto-{train,dev,test}.{ja,en} of kftt-data-1.0/data/orig
TED   IWSLT 2017: train.tags.ja-en.{ja,en}, without titles and descriptions; dev2010 for validation, tst2010
      to tst2015 for the test. Its counts are the papers' (223K and 8.5K), which other releases' are not
JESC  split/{train,dev,test}: English, a tab, Japanese

Training pairs with an empty side are left out; nothing else is changed but white space, which becomes one space.
"""

import argparse
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, Optional, Sequence

from recipes.engine.corpus import Expected
from recipes.engine.pair import PairRecipe
from recipes.text.corpus_files import Pair, write_pairs
from recipes.text.mteval import read_set
from recipes.text.raw_text import find_file, plain, read_lines, read_parallel
from recipes.text.talks import read_talks

from fairseq_subword_ext.textio.tables import text_lines

SOURCE, TARGET = LANGUAGES = ("ja", "en")
SPLITS = ("train", "valid", "test")
KFTT_ARCHIVE, TED_ARCHIVE, JESC_ARCHIVE = "kftt-data-1.0.tar.gz", "ja-en.zip", "split.tar.gz"
KFTT_NAMES = dict(zip(SPLITS, ("kyoto-train", "kyoto-dev", "kyoto-test")))
JESC_NAMES = dict(zip(SPLITS, ("split/train", "split/dev", "split/test")))
TED_SETS = {"valid": ("dev2010",), "test": tuple(f"tst{year}" for year in range(2010, 2016))}

Read = Callable[[Sequence[Path], str], Iterable[Pair]]


class JapaneseEnglish(PairRecipe):
    """Wang, Cho & Gu 2020, Table 6."""

    name = "ja_en"
    title = (
        "Japanese-English, KFTT, TED and JESC: byte-level subwords (Wang, Cho & Gu 2020, Table 6)"
    )
    paper = "Wang, Cho & Gu 2020"
    size = "3.5M pairs"
    pair = "ja-en"
    test_sets = ("kftt", "ted", "jesc")
    more_metrics = ("BLEU",)
    expected = (
        Expected("train, all three", "train.ja-en.ja", "lines", "3.5M"),
        Expected("valid, all three", "valid.ja-en.ja", "lines", "4K"),
        Expected("test, KFTT", "kftt.ja-en.ja", "lines", "1.2K"),
        Expected("test, TED", "ted.ja-en.ja", "lines", "8.5K"),
        Expected("test, JESC", "jesc.ja-en.ja", "lines", "2K"),
        Expected("test, all three", "kftt.ja-en.ja ted.ja-en.ja jesc.ja-en.ja", "lines", "12K"),
    )


RECIPE = JapaneseEnglish()


def read_kftt(raw: Sequence[Path], split: str) -> Iterator[Pair]:
    """Reads a set of KFTT.

    Raises:
        ValueError: If a file is missing, or the sides differ in length.
        OSError: If a file cannot be read.
    """
    # The archive has a tokenized copy of the same names beside it.
    names = [f"data/orig/{KFTT_NAMES[split]}.{language}" for language in LANGUAGES]
    return read_parallel(*(find_file(raw, [name], KFTT_ARCHIVE) for name in names))


def read_ted(raw: Sequence[Path], split: str) -> Iterator[Pair]:
    """Reads a set of the TED talks.

    Raises:
        ValueError: If a file is missing, or the sides have other sentences.
        OSError: If a file cannot be read.
    """
    if split == "train":
        yield from read_talks(raw, "ja-en", TED_ARCHIVE, text_tags=())
    for name in TED_SETS.get(split, ()):
        files = [f"IWSLT17.TED.{name}.ja-en.{language}.xml" for language in LANGUAGES]
        yield from read_set(*(find_file(raw, [file], TED_ARCHIVE) for file in files))


def read_jesc(raw: Sequence[Path], split: str) -> Iterator[Pair]:
    """Reads a set of JESC.

    Raises:
        ValueError: If the file is missing; with path and line, for a line that has not two columns.
        OSError: If the file cannot be read.
    """
    path = find_file(raw, [JESC_NAMES[split]], JESC_ARCHIVE)
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 2:
            raise ValueError(
                f"{path}:{number}: expected English and Japanese by a tab, found {len(cells)} columns: "
                f"the file is truncated or damaged; extract it from {JESC_ARCHIVE} again"
            )
        yield plain(cells[1]), plain(cells[0])


CORPORA: Dict[str, Read] = {"kftt": read_kftt, "ted": read_ted, "jesc": read_jesc}


def read_all(
    raw: Sequence[Path], split: str, lines: Optional[int], counts: Counter
) -> Iterator[Pair]:
    """Yields a set of all corpora, one after the other, and counts the pairs of each."""
    for corpus, read in CORPORA.items():
        for pair in islice(read(raw, split), lines):
            counts[corpus, split] += 1
            yield pair


def both_sides(pairs: Iterable[Pair]) -> Iterator[Pair]:
    return (pair for pair in pairs if all(pair))


def build(args: argparse.Namespace) -> None:
    """Reads the corpora, joins them, and prints what each has."""
    counts: Counter = Counter()
    train = read_all(args.raw, "train", args.lines, counts)
    kept = write_pairs(args.out, "train", SOURCE, both_sides(train), TARGET)
    write_pairs(args.out, "valid", SOURCE, read_all(args.raw, "valid", None, counts), TARGET)
    for corpus, read in CORPORA.items():
        counts[corpus, "test"] = write_pairs(
            args.out, corpus, SOURCE, read(args.raw, "test"), TARGET
        )
    rows = [[corpus, *(f"{counts[corpus, split]:,}" for split in SPLITS)] for corpus in CORPORA]
    print("\n".join(text_lines([["", *SPLITS], *rows])))
    left_out = sum(counts[corpus, "train"] for corpus in CORPORA) - kept
    print(f"training pairs with an empty side, skipped: {left_out:,}")
