"""Submits a recipe to SLURM: one job per system and seed, which is requeued if it dies, and continues."""

import os
import subprocess
import sys
from pathlib import Path
from typing import List, Sequence

from recipes.engine.commands import ROOT
from recipes.engine.recipe import Recipe
from recipes.engine.run import Run
from recipes.engine.runner import say
from recipes.engine.systems import System

JOB = ROOT / "scripts" / "distributed" / "slurm.sh"
PREPARE, SYSTEM = "prepare", "system"  # the parts of a run that are jobs of their own


def submit(recipe: Recipe, run: Run, systems: Sequence[System], arguments: Sequence[str]) -> int:
    """Submits the jobs: what systems share, then each system and seed, and at last the tables.

    Args:
        recipe: the recipe.
        run: the run, whose ``sbatch`` are flags for all jobs.
        systems: the rows.
        arguments: the command line of this call, after the recipe's name.

    Raises:
        ValueError: If there is nothing to train, or ``sbatch`` fails.
    """
    if not systems:
        raise ValueError("--launch slurm: name the rows to train")
    options = _options(arguments, [system.name for system in systems])
    prepare = _sbatch(recipe, run, "prepare", [], [*_rows(systems), *options, "--part", PREPARE])
    jobs = []
    for system in systems:
        for seed in run.seeds:
            # The last of two --seeds counts.
            job = [system.name, *options, "--seeds", str(seed), "--part", SYSTEM]
            name = run.folder(system, seed).name
            jobs.append(_sbatch(recipe, run, name, [f"afterok:{prepare}"], job))
    _sbatch(recipe, run, "tables", [f"afterany:{job}" for job in jobs], [*_rows(systems), *options])
    say(
        f"submitted {len(jobs) + 2} jobs; their output is in {run.work / 'logs'}, and the tables in tables.slurm.log"
    )
    return 0


def _rows(systems: Sequence[System]) -> List[str]:
    return [system.name for system in systems]


def _options(arguments: Sequence[str], rows: Sequence[str]) -> List[str]:
    """The options of this call for the jobs, which run in the checkout."""
    kept: List[str] = []
    skip = False
    for argument in arguments:
        if skip or argument in ("--launch", "--sbatch", "--fresh"):
            skip = not skip and argument != "--fresh"
            continue
        if argument.startswith(("--launch=", "--sbatch=")) or argument in rows:
            continue
        relative = not argument.startswith("-") and Path(argument).exists()
        kept.append(str(Path(argument).resolve()) if relative else argument)
    return kept


def _sbatch(
    recipe: Recipe, run: Run, name: str, after: Sequence[str], arguments: Sequence[str]
) -> str:
    """Submits one job; returns its id.

    Raises:
        ValueError: If ``sbatch`` is missing or fails.
    """
    log = run.work / "logs" / f"{name}.slurm.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    dependency = [f"--dependency={','.join(after)}"] if after else []
    job = [
        "sbatch", "--parsable", f"--job-name={recipe.name}.{name}", f"--output={log}", *dependency,
        *run.sbatch, str(JOB), "recipe", recipe.name, *arguments,
    ]  # fmt: skip
    environment = {"PYTHON_BIN": sys.executable, **os.environ}
    try:
        done = subprocess.run(
            job, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise ValueError("--launch slurm: there is no sbatch on this machine") from error
    if done.returncode != 0:
        raise ValueError(f"--launch slurm: sbatch failed: {done.stderr.strip()}")
    number = done.stdout.strip().split(";")[0]
    say(f"job {number}: {name}")
    return number
