"""What recipes and rows there are, and how far a run is."""

from typing import List, Sequence

from fairseq_subword_ext.textio.tables import Column, Table, render
from recipes.engine.catalogue import load, names
from recipes.engine.commands import ROOT
from recipes.engine.recipe import Recipe
from recipes.engine.run import Run
from recipes.engine.scores import Results, seeds_of
from recipes.engine.systems import System

_SHOWN = 2  # rows that are named in the list of recipes


def list_recipes() -> None:
    """Prints all recipes with their tables, rows, sizes, what they need, and their state."""
    rows = []
    for name in names():
        recipe = load(name)
        run = Run(ROOT / "runs" / name)
        systems = recipe.systems(run)
        tables = dict.fromkeys(system["table"] for system in systems if system["table"])
        rows.append(
            [
                name,
                recipe.paper + (f", tables {', '.join(tables)}" if len(tables) > 1 else ""),
                recipe.size,
                _rows(systems),
                recipe.needs or "the download",
                state(run, systems),
            ]
        )
    headings = [
        Column(name) for name in ("recipe", "figures of", "training text", "rows", "needs", "state")
    ]
    print(render([Table("recipes", "Recipes", headings, rows)], "text"), end="")
    print("\nrecipe.py NAME --list lists a recipe's rows, recipe.py NAME --help its options.")


def state(run: Run, systems: Sequence[System]) -> str:
    """How far the run in the default folder is."""
    if not run.work.is_dir():
        return "not begun"
    scored = sum(bool(seeds_of(run, system)) for system in systems)
    corpus = "corpus, " if run.corpus.is_dir() else ""
    return f"{corpus}{scored} of {len(systems)} rows scored"


def list_rows(recipe: Recipe, run: Run, systems: Sequence[System]) -> None:
    """Prints a recipe's rows with the paper's figures and what is done of each."""
    results = Results(run)
    columns = list(dict.fromkeys(name for system in systems for name in system.figures))
    rows: List[List[str]] = []
    for system in systems:
        figures = [system.figures[name] or "-" for name in columns]
        seeds = ",".join(map(str, results.of(system)))
        rows.append([system.name, system.label, *figures, f"seeds {seeds}" if seeds else ""])
    headings = [Column(name) for name in ("row", "in the paper", *columns, "scored here")]
    print(render([Table("rows", recipe.title, headings, rows)], "text"), end="")


def _rows(systems: Sequence[System]) -> str:
    shown = [system.name for system in systems[:_SHOWN]]
    more = len(systems) - len(shown)
    return ", ".join(shown) + (f", ... ({len(systems)})" if more > 0 else "")
