"""Names and phrases in 34 languages and 19 scripts into English: the corpus and models of the quickstart."""

from pathlib import Path
from typing import List, Optional, Sequence

from recipes.engine.commands import Command
from recipes.engine.recipe import option
from recipes.engine.run import Run, positive
from recipes.engine.steps import Step
from recipes.engine.systems import System
from recipes.engine.tables import Shown, results_table
from recipes.engine.validation import BITS, VALID, validation_step
from recipes.engine.x_en import XEnRecipe
from recipes.names_x_en.build_corpus import LANGUAGES, OPTIONS, build

from fairseq_subword_ext.textio.tables import Table

__all__ = ["RECIPE", "Names", "build"]


class Names(XEnRecipe):
    """The quickstart's system, and a transfer to Sinhala."""

    name = "names_x_en"
    title = "Names from 34 languages into English"
    paper = "none: a small-scale study"
    size = "215K pairs of 34 languages"
    needs = "two Python packages"
    extras = "fairseq,quickstart"
    test_sets = ("test", "test_seen")
    devices = 1
    score_flags = ("--copy", "--samples", "10")
    shown = "always"
    from_text = True
    options = (
        option("--transfer-updates", "updates of each row of the transfer (default: 200)", type=positive, default=200, metavar="N"),
    )  # fmt: skip
    more_corpus_options = OPTIONS

    def test_sets_of(self, system: System) -> Sequence[str]:
        return self.test_sets[:1] if system["parent"] else self.test_sets

    def score_flags_of(self, system: System) -> Sequence[str]:
        return self.score_flags[:1] if system["parent"] else self.score_flags

    def updates_of(self, run: Run, system: System) -> Optional[int]:
        return run.options.transfer_updates if system["parent"] else None

    def languages_of(self, run: Run, system: System) -> Sequence[str]:
        return () if system["corpus"] else run.languages or LANGUAGES

    def exchanged_of(self, system: System) -> Optional[str]:
        """The validation set with exchanged sources, if there is one; None if a row is not validated once more."""
        return "" if system["parent"] and system["config"] else None

    def translate_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        steps = super().translate_steps(run, system, seed)
        exchanged = self.exchanged_of(system)
        if exchanged is not None:
            steps.append(
                validation_step(
                    run, self.title_of(system, seed, run), self.data(run, system), self.model(run, system, seed),
                    run.folder(system, seed), seed, self.data_inputs(run, system), exchanged,
                )
            )  # fmt: skip
        return steps

    def fetch(self, run: Run, *_) -> List[Command]:
        return []

    def raw_folders(self, run: Run) -> List[Path]:
        return []

    def tables(self, run: Run, systems: Sequence[System]) -> List[Optional[Table]]:
        parents = [system for system in systems if not system["parent"]]
        children = [system for system in systems if system["parent"]]
        test = [
            Shown(f"test, {metric}", "all", metric) for metric in ("exact match", "chrF", "BLEU")
        ]
        seen = [
            Shown(f"{name}, {metric}", f"{name}.all", metric)
            for name in self.test_sets[1:]
            for metric in ("chrF", "BLEU")
        ]
        validation = Shown("valid, bits per symbol", VALID, BITS)
        title, shown = "Transfer to Sinhala", [*test, validation]
        return [
            self.segmentations(run, systems),
            results_table(run, parents, self.title, [*test, *seen]),
            results_table(run, children, title, shown, "transfer", parameters=True),
        ]


RECIPE = Names()
