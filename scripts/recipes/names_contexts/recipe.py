"""Names in four languages, and a validation set in which each sentence has the source of another one.

Beside the corpus of names_x_en, exchanged.xx-en.xx and .en: how much higher the loss is on them says how much a model
reads its source.
"""

import argparse
import random
from dataclasses import replace
from pathlib import Path
from typing import List, Optional, Sequence

from recipes.engine.commands import Command
from recipes.engine.curves import draw_curves
from recipes.engine.run import Run
from recipes.engine.systems import System
from recipes.engine.tables import Shown, results_table
from recipes.engine.validation import BITS, GAIN, VALID
from recipes.names_x_en import build_corpus
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

    def corpus_command(self, run: Run, *flags: object) -> Command:
        chosen = replace(run, languages=list(run.languages or LANGUAGES))
        held_out = ["--valid-lines", HELD_OUT, "--test-lines", HELD_OUT]
        return super().corpus_command(chosen, *held_out, *flags)

    def tables(self, run: Run, systems: Sequence[System]) -> List[Optional[Table]]:
        shown = [Shown(f"test, {metric}", "all", metric) for metric in ("chrF", "BLEU")]
        shown += [Shown("valid, bits per symbol", VALID, BITS), Shown("gain", VALID, GAIN)]
        table = results_table(run, systems, self.title, shown)
        return [self.segmentations(run, systems), table]

    def pictures(self, run: Run, systems: Sequence[System]) -> List[Path]:
        """Learning curves, one panel per unit."""
        return draw_curves(
            run,
            systems,
            lambda system: (system.label.rpartition(", ")[0], system["across"]),
            run.work / "figure.curves",
        )


RECIPE = Contexts()


def build(args: argparse.Namespace) -> None:
    """Writes the corpus, and the set with exchanged sources of every language."""
    build_corpus.build(args)
    for language in find_languages(args.out, VALID):
        pairs = exchanged(read_pairs(args.out, VALID, language), language)
        write_pairs(args.out, EXCHANGED, language, pairs)


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
