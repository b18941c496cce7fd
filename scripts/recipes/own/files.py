"""The corpus of your own raw files: checks them, and draws what is not given.

Pairs with an empty side are dropped from the training text. Without --valid or --test, up to 2,000 pairs, but at most a
twentieth, are drawn from the training text. Text is neither tokenized nor normalized, except that white space of
any kind becomes one space.
"""

import argparse
import json
from pathlib import Path
from typing import Dict, List, Optional

from recipes.engine.recipe import Recipe
from recipes.engine.run import Run
from recipes.engine.steps import Step
from recipes.text.corpus_files import Pair, write_pairs
from recipes.text.drawing import draw_sets
from recipes.text.raw_text import read_parallel

SETS = ("train", "valid", "test")
MADE_FROM = "made-from.json"
DRAWN, SHARE = 2000, 20  # pairs drawn for a set that is not given; at most one in so many
DRAWING = 1  # the seed


class OwnFiles(Recipe):
    """A recipe whose corpus is the files that the options name."""

    corpus_options = (*SETS, "pair")

    def corpus_steps(self, run: Run) -> List[Step]:
        """The corpus, made again if one of the files changes."""
        files = [path.resolve() for name in SETS for path in getattr(run.options, name) or []]
        made = self.corpus_command(run)
        return [Step("corpus", [made], inputs=files, outputs=[run.corpus], shown="once")]

    def raw_folders(self, run: Run) -> List[Path]:
        return []


def pair_of(options: argparse.Namespace) -> str:
    """Source and target language, from ``--pair`` or the files' suffixes.

    Raises:
        ValueError: If they cannot be told, or are the same.
    """
    if options.pair:
        languages = options.pair.split("-")
    else:
        languages = [language_of(path) for path in options.train]
    if len(languages) != 2 or not all(languages) or languages[0] == languages[1]:
        raise ValueError(
            f"--train {options.train[0]} {options.train[1]}: the languages cannot be read from the file names; "
            "give --pair, such as --pair si-en"
        )
    return "-".join(languages)


def language_of(path: Path) -> str:
    """A file's language by its name: ``si`` for ``train.si`` and ``train.si.gz``; empty if it has none."""
    suffixes = [suffix for suffix in path.suffixes if suffix != ".gz"]
    return suffixes[-1][1:] if suffixes and suffixes[-1] != ".txt" else ""


def check_files(options: argparse.Namespace) -> None:
    """Refuses a call without what is needed.

    Raises:
        ValueError: If an option or a file is missing.
    """
    if not options.train or not options.wanted:
        raise ValueError(
            "own needs --train SOURCE TARGET and --systems NAMES, such as --train a.si a.en --systems "
            "frequency-8k,bbpe-4k-gru (recipe.py own --help has all options)"
        )
    for name in SETS:
        for path in getattr(options, name) or []:
            if not path.is_file():
                raise ValueError(f"--{name} {path}: no such file")


def made_from(options: argparse.Namespace, lines: Optional[int]) -> str:
    """What the corpus is made from, to recognize results on the same data."""
    files = {name: [str(path.resolve()) for path in getattr(options, name) or []] for name in SETS}
    return json.dumps({**files, "lines": lines}, indent=1)


def build(args: argparse.Namespace) -> None:
    """Writes the corpus."""
    source, target = pair_of(args).split("-")
    sets: Dict[str, List[Pair]] = {}
    for name in SETS:
        if getattr(args, name):
            sets[name] = list(read_parallel(*getattr(args, name)))
            print(f"{name}: {len(sets[name]):,} pairs")
    given = sets["train"]
    sets["train"] = [pair for pair in given if all(pair)][: args.lines]
    print(
        f"dropped from train, a side is empty: {len(given) - len([p for p in given if all(p)]):,}"
    )
    drawn = [name for name in SETS[1:] if name not in sets]
    if drawn:
        size = min(DRAWN, max(len(sets["train"]) // SHARE, 1))
        *parts, sets["train"] = draw_sets(sets["train"], [size] * len(drawn), DRAWING)
        sets.update(zip(drawn, parts))
        print(f"drawn from train for {' and '.join(drawn)}: {size:,} pairs each")
    known = set(sets["train"])
    for name in SETS[1:]:
        if not sets[name]:
            raise ValueError(f"--{name} has no lines")
        both = sum(pair in known for pair in sets[name])
        print(f"{name} pairs that are also in train: {both:,} of {len(sets[name]):,}")
    for name, pairs in sets.items():
        write_pairs(args.out, name, source, pairs, target)
    (args.out / MADE_FROM).write_text(made_from(args, args.lines), encoding="utf-8")
