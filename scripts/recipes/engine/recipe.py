"""What a recipe is: a corpus, rows of systems, the steps that make each of them, and tables."""

import argparse
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from fairseq_subword_ext.textio.tables import Table
from recipes.engine.commands import ROOT, Command, neutral, tool
from recipes.engine.corpus import Expected
from recipes.engine.run import Run
from recipes.engine.steps import Step
from recipes.engine.systems import System, read_systems
from recipes.engine.training import training_step


class Option(NamedTuple):
    """An option of one recipe, for its corpus or its training.

    Attributes:
        flag: such as ``--valid``.
        help: one line.
        settings: arguments of :meth:`argparse.ArgumentParser.add_argument`.
    """

    flag: str
    help: str
    settings: Dict[str, Any]

    @property
    def name(self) -> str:
        """The attribute with its value."""
        return self.settings.get("dest", self.flag.lstrip("-").replace("-", "_"))

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
        corpus_options: the names of those that also the command gets that makes the corpus.
        more_corpus_options: options of this command alone.
        expected: what the paper says of the corpus.
        extras: the extras of this package that it needs.
        devices: devices that a configuration's batch is meant for (None: the configuration's update_freq).
    """

    name = ""
    title = ""
    paper = ""
    needs = ""
    size = ""
    options: Sequence[Option] = ()
    corpus_options: Sequence[str] = ()
    more_corpus_options: Sequence[Option] = ()
    expected: Sequence[Expected] = ()
    extras = "fairseq,recipes"
    devices: Optional[int] = None

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
                [*self.fetch(run), self.corpus_command(run)],
                inputs=[run.raw] if run.raw else [],
                outputs=[run.corpus],
                shown="once",
            )
        ]

    def fetch(
        self, run: Run, files: Sequence[str] = (), languages: Sequence[str] = ()
    ) -> List[Command]:
        """The command that downloads files by sources.tsv, or unpacks those of ``--raw``.

        Args:
            run: the run.
            files: only these; by default all of the recipe.
            languages: for files of a single language; by default those of the run.
        """
        raw = ["--raw", run.raw] if run.raw else []
        languages = languages or run.languages
        only = ["--languages", ",".join(languages)] if languages else []
        return [tool("engine.fetch", self.name, *files, "--to", run.work / "raw", *raw, *only)]

    def corpus_command(self, run: Run, *flags: Any) -> Command:
        """The command that makes the corpus by the function ``build`` of the recipe's module."""
        chosen: List[Any] = []
        for name in self.corpus_options:
            value = getattr(run.options, name, None)
            values = [value] if isinstance(value, (str, int)) else value or []
            values = [one.resolve() if isinstance(one, Path) else one for one in values]
            chosen += [f"--{name.replace('_', '-')}", *values] if values else []
        chosen += ["--languages", ",".join(run.languages)] if run.languages else []
        chosen += ["--lines", run.lines] if run.lines else []
        folders = self.raw_folders(run)
        raw = ["--raw", *folders] if folders else []
        return tool(
            "engine.corpus", self.name, *raw, "--out", run.corpus, *chosen, *flags,
            *neutral("--workers", run.workers),
        )  # fmt: skip

    def raw_folders(self, run: Run) -> List[Path]:
        """The folders with the source files: what is unpacked, and what the user has unpacked."""
        return list(dict.fromkeys([run.work / "raw", run.downloads]))

    def segment_steps(self, run: Run, system: System) -> List[Step]:
        """Learns a row's subwords and binarizes the corpus with them."""
        raise NotImplementedError

    def train_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        """Trains a row; nothing for rows that decode with the model of another."""
        raise NotImplementedError

    def training(
        self,
        run: Run,
        system: System,
        seed: int,
        data: Path,
        settings: Sequence[str],
        inputs: Sequence[Path] = (),
        updates: Optional[int] = None,
    ) -> Step:
        """The training of a row; see :func:`.training_step`."""
        return training_step(
            run, f"train {self.title_of(system, seed, run)}", self.config(system["config"]), data,
            run.folder(system, seed), seed, settings, self.devices, inputs, updates,
        )  # fmt: skip

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

    def tables(self, run: Run, systems: Sequence[System]) -> List[Optional[Table]]:
        """The paper's figures beside those found, for all rows; those that are None or empty are not printed."""
        raise NotImplementedError

    def pictures(self, run: Run, systems: Sequence[System]) -> List[Path]:
        """Draws the paper's figures of the scores found so far; returns the files."""
        return []

    def title_of(self, system: System, seed: int, run: Run) -> str:
        """A trained system's name in messages and records, which depends on nothing else."""
        return run.folder(system, seed).name
