#!/usr/bin/env python3
"""Exchanges the sources of a validation set between its sentences.

    recipe.py --corpus DIR

For each language, writes DIR/exchanged.xx-en.xx and .en: the validation set, where each sentence has the source of
another one of the same language. How much higher the loss is on it says how much a model reads its source.
"""

import argparse
import random
import sys
from pathlib import Path
from typing import List, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recipes.engine.commands import Command, command
from recipes.engine.curves import draw_curves
from recipes.engine.run import Run
from recipes.engine.script import make_parser, run_script
from recipes.engine.segmentations import segmentation_table
from recipes.engine.steps import Step
from recipes.engine.systems import System
from recipes.engine.tables import Shown, results_table
from recipes.engine.validation import BITS, GAIN, VALID
from recipes.names_x_en.recipe import RECIPE as NAMES
from recipes.names_x_en.recipe import Names
from recipes.text.corpus_files import Pair, find_languages, read_pairs, write_pairs

from fairseq_subword_ext.textio.tables import Table

LANGUAGES = ("ru", "uk", "be", "sr")
HELD_OUT = 200  # lines per language of each held-out set
EXCHANGED = "exchanged"


class Contexts(Names):
    """Whether context helps, by unit: Wang, Cho & Gu 2020, Figure 4, at a small scale."""

    name = "names_contexts"
    title = "Contexts on names from four languages"
    extras = "fairseq,quickstart,plots"
    size = "four languages of names_x_en"
    test_sets = ("test",)
    score_flags = ("--copy",)
    shown = ""
    options = ()

    def languages_of(self, run: Run, system: System) -> Sequence[str]:
        return run.languages or LANGUAGES

    def exchanged_of(self, system: System) -> str:
        return EXCHANGED

    def corpus_steps(self, run: Run) -> List[Step]:
        exchange = command("python", self.home / "recipe.py", "--corpus", run.corpus)
        made = [self.corpus_command(run), exchange]
        return [Step("corpus", made, outputs=[run.corpus], shown="once")]

    def corpus_command(self, run: Run) -> Command:
        lines = ["--lines", run.lines] if run.lines else []
        return command(
            "python", NAMES.home / "recipe.py", "--out", run.corpus,
            "--languages", ",".join(run.languages or LANGUAGES),
            "--valid-lines", HELD_OUT, "--test-lines", HELD_OUT, *lines,
        )  # fmt: skip

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        shown = [Shown(f"test, {metric}", "all", metric) for metric in ("chrF", "BLEU")]
        shown += [Shown("valid, bits per symbol", VALID, BITS), Shown("gain", VALID, GAIN)]
        tables = [
            segmentation_table(run, systems),
            results_table(run, systems, self.title, shown),
        ]
        return [table for table in tables if table and table.rows]

    def pictures(self, run: Run, systems: Sequence[System]) -> List[Path]:
        """Learning curves, one panel per unit."""
        return draw_curves(
            run,
            systems,
            lambda system: (system.label.rpartition(", ")[0], system["across"]),
            run.work / "figure.curves",
        )


RECIPE = Contexts()


def exchange(args: argparse.Namespace) -> None:
    """Writes the set with exchanged sources of every language."""
    languages = find_languages(args.corpus, VALID)
    for language in languages:
        pairs = exchanged(read_pairs(args.corpus, VALID, language), language)
        write_pairs(args.corpus, EXCHANGED, language, pairs)


def exchanged(pairs: Sequence[Pair], seed: str) -> List[Pair]:
    """The pairs in their order, each with the source of another one; a drawn order says which.

    Raises:
        ValueError: If there is only one pair.
    """
    if len(pairs) < 2:
        raise ValueError(f"{VALID} of {seed} has too few pairs to exchange sources")
    order = random.Random(seed).sample(range(len(pairs)), len(pairs))
    source = dict(zip(order, order[1:] + order[:1]))
    return [(pairs[source[number]][0], pair[1]) for number, pair in enumerate(pairs)]


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder with the corpus")
    return run_script(parser, exchange)


if __name__ == "__main__":
    sys.exit(main())
