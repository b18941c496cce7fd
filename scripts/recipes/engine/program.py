"""The command ``scripts/recipe.py``."""

import argparse
import os
import sys
from pathlib import Path
from typing import List, Optional, Sequence

import recipes
from fairseq_subword_ext.textio.files import atomic_text_writer
from fairseq_subword_ext.textio.tables import render
from recipes.engine import sizes
from recipes.engine.catalogue import load
from recipes.engine.commands import as_script
from recipes.engine.listing import list_recipes, list_rows
from recipes.engine.recipe import Recipe
from recipes.engine.run import Run, add_options, run_of
from recipes.engine.runner import Runner, StepError, remove, say
from recipes.engine.slurm import PREPARE, submit
from recipes.engine.steps import Step, merged
from recipes.engine.systems import System, choose, write_systems

# What steps write into the run's folder; --fresh removes it. Downloads are kept.
STOPPED = "stopped"  # a file: which trainings --minutes has ended
_WRITTEN = ("corpus", "segmentations", "systems", "significance", "logs", "steps")


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Lists the recipes, or runs one.

    Returns:
        The exit status: 1 after one line that says what went wrong, 130 after an interrupt.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if not arguments or arguments == ["--list"]:
            list_recipes()
            return 0
        if arguments[0] in ("-h", "--help"):
            print(recipes.__doc__.strip())
            return 0
        return run_recipe(load(arguments[0]), arguments[1:])
    except BrokenPipeError:
        # The reader has gone, as in `... | head`. Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, OSError, ImportError, StepError) as error:
        say(f"error: {error}")
        return 1


def parser_of(recipe: Recipe) -> argparse.ArgumentParser:
    """The command line of one recipe."""
    parser = argparse.ArgumentParser(
        prog=f"recipe.py {recipe.name}",
        description=recipe.title,
        epilog=f'It needs these extras: pip install -e ".[{recipe.extras}]"',
    )
    add_options(parser)
    own = parser.add_argument_group(f"options of {recipe.name}")
    for one in recipe.options:
        one.add_to(own)
    return parser


def run_recipe(recipe: Recipe, arguments: Sequence[str]) -> int:
    """Runs one recipe with its command line.

    Raises:
        ValueError: If the options do not go together.
        StepError: If a step fails.
    """
    args = parser_of(recipe).parse_args(arguments)
    run = run_of(args, recipe.name)
    recipe = recipe.chosen(run)
    rows = recipe.systems(run)
    if args.list:
        list_rows(recipe, run, rows)
        return 0
    systems = choose(rows, args.systems, recipe.name) or recipe.default_rows(run, rows)
    recipe.check(run, systems)
    part = recipe.shared_steps if args.part == PREPARE else recipe.steps
    steps = merged(part(run, systems))
    title = " ".join(["scripts/recipe.py", recipe.name, *arguments])
    if args.dry_run:
        return dry_run(run, steps, title)
    if args.fresh and run.work.is_dir():
        say(f"starting over in {run.work}")
        for name in _WRITTEN:
            remove(run.work / name)
    if not args.part:
        keep_plan(recipe, run, rows, steps, title)
    if args.launch:
        return submit(recipe, run, systems, arguments)
    runner = Runner(run.work, sizes.check)
    try:
        runner.run(steps)
        if args.part:
            return 0
        comparisons = merged(recipe.comparison_steps(run, rows))
        if comparisons:
            keep_plan(recipe, run, rows, [*steps, *self_contained(comparisons, steps)], title)
            runner.run(comparisons)
    except KeyboardInterrupt:
        done = runner.unfinished or "interrupted"
        say(f"{done}; run the same command to continue")
        return 130
    tables = [table for table in recipe.tables(run, rows) if table and table.rows]
    print(render(tables, "text"), end="", flush=True)
    for path in recipe.pictures(run, rows):
        say(f"drawn: {path}")
    stopped = [f"{name}: {done}" for name, done in runner.cut_short.items()]
    (run.work / STOPPED).unlink(missing_ok=True)
    if stopped:
        text = f"{'; '.join(stopped)}; run the same command to continue"
        _write(run.work / STOPPED, f"{text}\n")
        say(text)
    return 0


def self_contained(more: Sequence[Step], steps: Sequence[Step]) -> List[Step]:
    """Those of further steps that read only what the first ones make, so that commands.sh is complete."""
    made = {path for step in steps for path in step.outputs}
    return [
        step
        for step in more
        if all(not made.isdisjoint([path, *path.parents]) for path in step.inputs)
    ]


def dry_run(run: Run, steps: Sequence[Step], title: str) -> int:
    """Prints the commands, and the sizes of the vocabularies.

    Raises:
        ValueError: If a vocabulary would have almost no merges.
    """
    print(script_of(run, steps, title))
    if sizes.sizes(steps):
        lines = render([sizes.size_table(steps)], "text").splitlines()
        print("\n".join(f"# {line}".rstrip() for line in lines))
    for step in steps:
        sizes.check(step)
    return 0


def script_of(run: Run, steps: Sequence[Step], title: str) -> str:
    """The commands as a shell script."""
    return as_script(title, [(step.name, step.folders, step.commands) for step in steps], run.work)


def keep_plan(
    recipe: Recipe, run: Run, rows: List[System], steps: Sequence[Step], title: str
) -> None:
    """Writes ``commands.sh``, and what ``fairseq-subword package-model`` reads: the recipe and its table."""
    run.work.mkdir(parents=True, exist_ok=True)
    _write(run.work / "recipe", f"{recipe.name}\n")
    write_systems(run.work / "systems.tsv", rows)
    _write(run.work / "commands.sh", script_of(run, steps, title))
    (run.work / "commands.sh").chmod(0o755)


def _write(path: Path, text: str) -> None:
    with atomic_text_writer(path) as stream:
        stream.write(text)
