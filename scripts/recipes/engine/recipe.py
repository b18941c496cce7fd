"""What a recipe is: a corpus, rows of systems, the steps that make each of them, and tables."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any, List, Optional, Sequence

from fairseq_subword_ext.textio.tables import Table
from recipes.engine.commands import ROOT, Command, command, neutral, tool
from recipes.engine.corpus_figures import Expected
from recipes.engine.run import Run, names
from recipes.engine.steps import Step
from recipes.engine.systems import System, read_systems


@dataclass
class Option:
    """An option of one recipe, for its corpus or its training.

    Attributes:
        flag: such as ``--valid``.
        help: one line.
        settings: arguments of :meth:`argparse.ArgumentParser.add_argument`.
    """

    flag: str
    help: str
    settings: dict

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Adds it to a parser."""
        parser.add_argument(self.flag, help=self.help, **self.settings)


def option(flag: str, help: str, **settings: Any) -> Option:
    """An option; ``settings`` are those of :meth:`argparse.ArgumentParser.add_argument`."""
    return Option(flag, help, settings)


class Recipe:
    """The base of all recipes. A recipe sets the attributes, and overrides what differs.

    Attributes:
        name: of the folders scripts/recipes/NAME and configs/NAME.
        title: the corpus, and what the tables are.
        paper: the source of the figures.
        needs: what a user must have or give, in a few words; empty if the files can be downloaded.
        size: the training text, in a few words.
        options: the recipe's own options.
        corpus_options: the names of those that ``recipe.py`` of the folder gets to prepare the corpus.
        expected: what the paper says of the corpus.
        extras: the extras of this package that it needs.
    """

    name = ""
    title = ""
    paper = ""
    needs = ""
    size = ""
    options: Sequence[Option] = ()
    corpus_options: Sequence[str] = ()
    expected: Sequence[Expected] = ()
    extras = "fairseq,recipes"

    @property
    def home(self) -> Path:
        """The recipe's folder."""
        return ROOT / "scripts" / "recipes" / self.name

    @property
    def configs(self) -> Path:
        """The folder of its Hydra configurations."""
        return ROOT / "configs" / self.name

    def config(self, name: str) -> Path:
        """One of its configurations."""
        return self.configs / f"{name}.yaml"

    def systems(self, run: Run) -> List[System]:
        """All rows of the table. Recipes whose rows depend on options override it.

        Raises:
            ValueError: If systems.tsv is malformed.
        """
        return read_systems(self.home / "systems.tsv")

    def chosen(self, run: Run) -> "Recipe":
        """The recipe that the options ask for, if one name stands for several."""
        return self

    def default_rows(self, run: Run, rows: Sequence[System]) -> List[System]:
        """The rows of a call that names none; by default only the corpus is made, and the tables are printed."""
        return []

    def check(self, run: Run, systems: Sequence[System]) -> None:
        """Refuses options that do not go together, before anything runs.

        Raises:
            ValueError: If something is missing or contradictory.
        """

    # The plan.

    def corpus_steps(self, run: Run) -> List[Step]:
        """Brings the source files and makes the corpus of them."""
        return [
            Step(
                "corpus",
                [*self.fetch(run), self.corpus_command(run), *self.figures_command(run)],
                inputs=[run.raw] if run.raw else [],
                outputs=[run.corpus],
                shown="once",
            )
        ]

    def fetch(self, run: Run) -> List[Command]:
        """The command that downloads the recipe's files by sources.tsv, or unpacks those of ``--raw``."""
        raw = ["--raw", run.raw] if run.raw else []
        languages = ["--languages", ",".join(run.languages)] if run.languages else []
        return [tool("engine.fetch", self.name, "--to", run.work / "raw", *raw, *languages)]

    def corpus_command(self, run: Run) -> Command:
        """The command that makes the corpus: ``recipe.py`` of the recipe's folder."""
        flags: List[Any] = []
        for name in self.corpus_options:
            value = getattr(run.options, name, None)
            if isinstance(value, list):
                value = ",".join(value) or None
            if value is not None:
                flags += [f"--{name.replace('_', '-')}", value]
        if run.lines:
            flags += ["--lines", run.lines]
        return command(
            "python", self.home / "recipe.py", "--raw", *self.raw_folders(run), "--out", run.corpus, *flags,
            *neutral("--workers", run.workers),
        )  # fmt: skip

    def raw_folders(self, run: Run) -> List[Path]:
        """The folders with the source files: what is unpacked, and what the user has unpacked."""
        return list(dict.fromkeys([run.work / "raw", run.downloads]))

    def figures_command(self, run: Run) -> List[Command]:
        """The command that prints what the paper says of the corpus beside what is found."""
        return (
            [tool("engine.corpus_figures", self.name, "--in", run.corpus)] if self.expected else []
        )

    def segment_steps(self, run: Run, system: System) -> List[Step]:
        """Learns a row's subwords and binarizes the corpus with them."""
        raise NotImplementedError

    def train_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        """Trains a row; nothing for rows that decode with the model of another."""
        raise NotImplementedError

    def translate_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        """Translates the test sets and scores the translations."""
        raise NotImplementedError

    def ensemble_steps(self, run: Run, system: System) -> List[Step]:
        """Translates and scores with the models of all seeds together, if that is asked for."""
        return []

    def steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        """The plan: everything for these rows, in order. Several rows may name the same step."""
        steps = self.corpus_steps(run)
        for system in systems:
            steps += self.segment_steps(run, system)
            for seed in run.seeds:
                steps += self.train_steps(run, system, seed)
                steps += self.translate_steps(run, system, seed)
            # A job of one seed leaves the ensemble to the job of the tables.
            if not getattr(run.options, "part", None):
                steps += self.ensemble_steps(run, system)
        return steps

    def shared_steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        """The part of the plan that comes before the systems' own trainings."""
        return [
            *self.corpus_steps(run),
            *(step for system in systems for step in self.segment_steps(run, system)),
        ]

    # The results.

    def comparison_steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        """Significance tests between systems that are scored; which ones depends on the scores."""
        return []

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        """The paper's figures beside those found, for all rows."""
        raise NotImplementedError

    def pictures(self, run: Run, systems: Sequence[System]) -> List[Path]:
        """Draws the paper's figures of the scores found so far; returns the files."""
        return []

    def title_of(self, system: System, seed: int, run: Run) -> str:
        """A trained system's name in messages and records, which depends on nothing else."""
        return run.folder(system, seed).name


def corpus_parser(description: Optional[str], recipe: Recipe) -> argparse.ArgumentParser:
    """The command line of the ``recipe.py`` in a recipe's folder, which prepares the corpus."""
    from recipes.engine.script import make_parser

    parser = make_parser(description)
    parser.add_argument(
        "--raw", type=Path, nargs="+", required=True, help="folders with the source files"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the corpus")
    parser.add_argument(
        "--lines", type=int, metavar="N", help="use only the first N training lines"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="number of processes")
    if "languages" in recipe.corpus_options:
        parser.add_argument(
            "--languages", type=names, default=[], metavar="xx,yy", help="only these"
        )
    for one in recipe.options:
        if one.flag.lstrip("-").replace("-", "_") in recipe.corpus_options:
            one.add_to(parser)
    return parser
