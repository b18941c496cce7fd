"""The papers' tables, with the figures found here beside theirs."""

from typing import Dict, List, NamedTuple, Sequence

from fairseq_subword_ext.textio.tables import Column, Table, Value
from recipes.engine.run import Run
from recipes.engine.scores import Results, trained_parameters
from recipes.engine.significance import descriptions, mark
from recipes.engine.systems import System

NOTHING = "-"


def paper_table(
    run: Run, systems: Sequence[System], title: str, *metrics: str, key: str = "paper"
) -> Table:
    """One row for the paper and one per metric found here, for each system.

    Args:
        run: the run.
        systems: the rows.
        title: of the table.
        metrics: what is shown of the scores.
        key: the table's name for programs.
    """
    results = Results(run)
    columns = list(dict.fromkeys(name for system in systems for name in system.figures))
    rows: List[List[str]] = []
    for system in systems:
        rows.append([system.label, "paper", *(system.figures[name] or NOTHING for name in columns)])
        seeds = results.of(system)
        if not seeds:
            rows.append(["", "here: not run", *[NOTHING] * len(columns)])
            continue
        for metric in metrics:
            cells = [_found(run, results, system, name, metric) for name in columns]
            rows.append(["", f"here, {metric}{_seeds(seeds)}", *cells])
    headings = [Column(""), Column("")] + [Column(name) for name in columns]
    return Table(key, title, headings, rows, _notes(run, results, systems, columns, metrics))


class Shown(NamedTuple):
    """A column of a table of results.

    Attributes:
        heading: of the column.
        column: of the scores, as ``figure:NAME`` in systems.tsv.
        metric: the score.
    """

    heading: str
    column: str
    metric: str


def results_table(
    run: Run,
    systems: Sequence[System],
    title: str,
    shown: Sequence[Shown],
    key: str = "results",
    parameters: bool = False,
) -> Table:
    """One row per scored system: its seeds, and the mean and spread of its scores.

    Args:
        run, systems, title, key: as elsewhere.
        shown: the columns.
        parameters: also show how many parameters each system has trained.
    """
    results = Results(run)
    rows: List[List[Value]] = []
    for system in systems:
        seeds = results.of(system)
        if seeds:
            cells = [_found(run, results, system, one.column, one.metric) for one in shown]
            trained = (
                [trained_parameters(run, system, next(iter(seeds))) or 0] if parameters else []
            )
            rows.append([system.label, *trained, ",".join(map(str, seeds)), *cells])
        together = results.ensemble(system)
        if together.figures:
            scores = [together.figures.get(one.column, {}).get(one.metric) for one in shown]
            cells = [NOTHING if score is None else f"{score:.2f}" for score in scores]
            unknown = [NOTHING] if parameters else []
            rows.append([f"{system.label}, ensemble", *unknown, together.seeds, *cells])
    first = ["system", "trained parameters", "seeds"] if parameters else ["system", "seeds"]
    headings = [Column(name) for name in [*first, *(one.heading for one in shown)]]
    columns = list(dict.fromkeys(one.column for one in shown))
    metrics = list(dict.fromkeys(one.metric for one in shown))
    notes = _notes(run, results, systems, columns, metrics)
    if any(len(results.of(system)) > 1 for system in systems):
        notes.insert(0, "mean ± standard deviation over the seeds")
    return Table(key, title, headings, rows, notes)


def grids(run: Run, systems: Sequence[System], metric: str) -> List[Table]:
    """Tables whose rows and columns are the values of ``down`` and ``across``: paper / here."""
    results = Results(run)
    tables = []
    for number in dict.fromkeys(system["table"] for system in systems):
        rows_of_table = [system for system in systems if system["table"] == number]
        tables.append(_grid(run, results, rows_of_table, number, metric))
    return tables


def _grid(run: Run, results: Results, systems: Sequence[System], number: str, metric: str) -> Table:
    figures = [
        name
        for name in dict.fromkeys(name for system in systems for name in system.figures)
        if any(system.figures[name] or results.figure(system, name, metric) for system in systems)
    ]
    across = list(dict.fromkeys(system["across"] for system in systems))
    down: Dict[str, Dict[str, System]] = {}
    for system in systems:
        down.setdefault(system["down"], {})[system["across"]] = system
    rows = []
    for label, by_column in down.items():
        cells = [
            f"{by_column[column].figures[name] or NOTHING} / "
            f"{_found(run, results, by_column[column], name, metric)}"
            if column in by_column
            else ""
            for name in figures
            for column in across
        ]
        rows.append([label, *cells])
    headings = [Column("")] + [Column(f"{one}, {name}") for name in figures for one in across]
    title = f"Table {number}: BLEU of the paper / here ({metric})"
    notes = _notes(run, results, systems, figures, [metric])
    return Table(f"table{number}", title, headings, rows, notes)


def _found(run: Run, results: Results, system: System, column: str, metric: str) -> str:
    figure = results.figure(system, column, metric)
    return (
        NOTHING
        if figure is None
        else f"{figure} {mark(run, results, system, column, metric)}".rstrip()
    )


def _seeds(seeds: Sequence[int]) -> str:
    return "" if list(seeds) == [1] else f", seeds {','.join(map(str, seeds))}"


def _notes(
    run: Run,
    results: Results,
    systems: Sequence[System],
    columns: Sequence[str],
    metrics: Sequence[str],
) -> List[str]:
    notes = [
        f"{metric}: {signature}"
        for metric in metrics
        for signature in results.signatures(systems, metric)
    ]
    return notes + [
        text for column in columns for text in descriptions(run, results, systems, column)
    ]
