"""One run of a recipe: its folder, and the options that all recipes have."""

import argparse
import os
import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import List, Optional

from recipes.engine.commands import ROOT, Neutral, neutral
from recipes.engine.systems import System

ENSEMBLE = 0  # in the place of a seed: the models of all seeds together


@dataclass
class Run:
    """What a plan is computed from, besides the recipe and its rows.

    Attributes:
        work: folder of the run.
        raw: folder with the source files; None to download them.
        seeds: seeds of the trainings.
        updates, minutes: limits of each training; None for the configuration's.
        lines: use only the first lines of each training file; None for all.
        languages: only these, for recipes with many; empty for all.
        overrides: settings of the Hydra configuration, KEY=VALUE.
        generate: more flags of fairseq-generate.
        gpus: number of GPUs to train on; 0 for the CPU.
        workers: number of processes or threads.
        sbatch: flags for the jobs of ``--launch slurm``.
        options: the recipe's own options.
    """

    work: Path
    raw: Optional[Path] = None
    seeds: List[int] = field(default_factory=lambda: [1])
    updates: Optional[int] = None
    minutes: Optional[float] = None
    lines: Optional[int] = None
    languages: List[str] = field(default_factory=list)
    overrides: List[str] = field(default_factory=list)
    generate: List[str] = field(default_factory=list)
    gpus: int = 0
    workers: int = 1
    sbatch: List[str] = field(default_factory=list)
    options: argparse.Namespace = field(default_factory=argparse.Namespace)

    @property
    def corpus(self) -> Path:
        """The corpus: SPLIT.xx-yy.xx and SPLIT.xx-yy.yy."""
        return self.work / "corpus"

    @property
    def downloads(self) -> Path:
        """The source files: those of the user, or downloaded ones."""
        return self.raw or self.work / "raw"

    def segmentation(self, system: System) -> Path:
        """The folder with ``codes``, ``codes.target`` and ``bin``; shared by the rows that name it."""
        return self.work / "segmentations" / system["segmentation"]

    def folder(self, system: System, seed: int) -> Path:
        """The folder of a trained system: ``systems/SYSTEM``, with ``.seedN`` for seeds other than 1, or ``.ensemble``."""
        suffix = ".ensemble" if seed == ENSEMBLE else "" if seed == 1 else f".seed{seed}"
        return self.work / "systems" / (system.name + suffix)

    def checkpoint(self, system: System, seed: int) -> Path:
        """The checkpoint with the best validation loss of the model that a row decodes with."""
        folder = self.folder(system, seed)
        if system["model"]:
            folder = folder.with_name(folder.name.replace(system.name, system["model"], 1))
        return folder / "checkpoints" / "checkpoint_best.pt"

    @property
    def workers_flag(self) -> List[str]:
        """The number of threads for ``fairseq-subword``."""
        return neutral("--num-workers", self.workers)

    @property
    def device_flag(self) -> Neutral:
        """The device for fairseq-generate."""
        return Neutral("--fp16" if self.gpus else "--cpu")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that all recipes have."""
    # fmt: off
    add = parser.add_argument
    add("systems", nargs="*", metavar="ROW", help="rows of the table (see --list); none: the corpus and the tables")
    add("--list", action="store_true", help="list the rows with the paper's figures, then stop")
    add("--raw", type=folder, metavar="DIR", help="folder with the source files; nothing is downloaded then")
    add("--work", type=Path, metavar="DIR", help="folder of the run (default: runs/NAME in the checkout)")
    add("--updates", type=positive, metavar="N", help="stop each training after N updates (default: as in its configuration)")
    add("--minutes", type=float, metavar="N", help="maximum time of each training in this call; the same command continues")
    add("--seeds", type=numbers, default=[1], metavar="1,2,3", help="train each system with these seeds (default: 1)")
    add("--lines", type=positive, metavar="N", help="use only the first N lines of each training file")
    add("--languages", type=names, default=[], metavar="xx,yy", help="use only these source languages (recipes with many)")
    add("--set", action="append", default=[], type=setting, metavar="KEY=VALUE", dest="overrides", help="any setting of the Hydra configuration; may be repeated")
    add("--generate", type=str.split, default=[], metavar="FLAGS", help="more flags of fairseq-generate, in one argument")
    add("--cpu", action="store_true", help="do not use a GPU, even if torch sees one")
    add("--workers", type=positive, metavar="N", help="number of processes (default: one per processor)")
    add("--dry-run", action="store_true", help="print the commands and the sizes of vocabularies, and run nothing")
    add("--fresh", action="store_true", help="start over; without it, finished steps are kept")
    add("--launch", choices=["slurm"], help="submit one requeued job per system and seed, and one for the tables")
    add("--sbatch", type=str.split, default=[], metavar="FLAGS", help="flags of sbatch for these jobs, in one argument")
    add("--part", choices=["prepare", "system"], help=argparse.SUPPRESS)  # what a job does
    # fmt: on


def run_of(args: argparse.Namespace, name: str) -> Run:
    """The run that the options describe."""
    given = {one.name: getattr(args, one.name) for one in fields(Run) if one.name in vars(args)}
    given["work"] = (args.work or ROOT / "runs" / name).resolve()
    given["workers"] = args.workers or len(os.sched_getaffinity(0))
    gpus = 0 if args.cpu or args.list else count_gpus()
    return Run(**given, gpus=gpus, options=args)


def count_gpus() -> int:
    """The number of GPUs that torch sees."""
    try:
        import torch
    except ImportError:
        return 0
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def folder(text: str) -> Path:
    """An existing folder.

    Raises:
        ArgumentTypeError: If there is none.
    """
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: no such folder")
    return path.resolve()


def positive(text: str) -> int:
    """A whole number above 0.

    Raises:
        ArgumentTypeError: If the text is anything else.
    """
    if not re.fullmatch(r"[0-9]+", text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a whole number, found {text}")
    return int(text)


def numbers(text: str) -> List[int]:
    """Whole numbers separated by commas.

    Raises:
        ArgumentTypeError: If the text is anything else.
    """
    return [positive(part) for part in text.split(",")]


def names(text: str) -> List[str]:
    """Names separated by commas."""
    return [part for part in text.split(",") if part]


def setting(text: str) -> str:
    """KEY=VALUE.

    Raises:
        ArgumentTypeError: If there is no ``=``.
    """
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, found {text}")
    return text
