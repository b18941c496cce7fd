#!/usr/bin/env python3
"""Prints a recipe's tables as grids, as in Wu & Zhao 2018: the paper's figure / the one found here.

    grid.py systems.tsv --work WORK [--metric tokenized] [--table 2]

systems.tsv has for it, beside the columns that systems.py describes:

    table     number of the paper's table
    down      label of the grid's row
    across    label of its column
    baseline  the system that significance is tested against

Reads WORK/systems/SYSTEM/scores.json as table.py does, and of WORK/significance/SYSTEM.FIGURE.json, which
`fairseq-subword score --json` writes, the corpus sign test's mark (++ p < 0.01, + p < 0.05).
"""

import argparse
import sys
from pathlib import Path
from typing import Dict, List, Sequence

from script import make_parser, run_script
from systems import System, read_systems
from table import read_scores

from fairseq_subword_ext.evaluation.score_record import ScoreRecord
from fairseq_subword_ext.evaluation.significance import SIGN_CORPUS
from fairseq_subword_ext.textio.tables import text_lines


def mark(work: Path, system: System, figure: str) -> str:
    """The corpus sign test's mark of a system against its baseline; empty where it was not tested.

    Raises:
        ValueError: If the file is none of ``score --json``.
    """
    path = work / "significance" / f"{system.name}.{figure}.json"
    if not path.exists():
        return ""
    tests = ScoreRecord.load(path).significance
    marks = (t.mark for t in tests if t.system == system.name and t.test == SIGN_CORPUS)
    return next(marks, "")


def cell(work: Path, system: System, figure: str, metric: str) -> str:
    """The paper's figure / ours."""
    record = read_scores(work, system)
    found = record["figures"].get(figure, {}).get(metric) if record else None
    ours = "-" if found is None else f"{found:.2f} {mark(work, system, figure)}".rstrip()
    return f"{system.figures[figure] or '-'} / {ours}"


def grid(systems: Sequence[System], work: Path, metric: str) -> List[str]:
    """One table's lines: a block of columns for each figure that the paper or a run here has."""
    figures = [
        figure
        for figure in dict.fromkeys(name for system in systems for name in system.figures)
        if any(system.figures[figure] or read_scores(work, system) for system in systems)
    ]
    across = list(dict.fromkeys(system.columns["across"] for system in systems))
    down: Dict[str, Dict[str, System]] = {}
    for system in systems:
        down.setdefault(system.columns["down"], {})[system.columns["across"]] = system
    rows = [["", *(f"{label}, {figure}" for figure in figures for label in across)]]
    for label, by_column in down.items():
        cells = [
            cell(work, by_column[column], figure, metric) if column in by_column else ""
            for figure in figures
            for column in across
        ]
        rows.append([label, *cells])
    return text_lines(rows, left=[True] * len(rows[0]))


def signatures(systems: Sequence[System], work: Path, metric: str) -> List[str]:
    """Every signature that the figures were computed with."""
    found = {}
    for system in systems:
        record = read_scores(work, system)
        if record and metric in record["signatures"]:
            found[record["signatures"][metric]] = None
    return [f"{metric} BLEU: {signature}" for signature in found]


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("systems", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument(
        "--metric", default="tokenized", help="default: %(default)s, as the paper's"
    )
    parser.add_argument("--table", help="only this one")
    return run_script(parser, run)


def run(args: argparse.Namespace) -> None:
    systems = read_systems(args.systems)
    tables = [args.table] if args.table else dict.fromkeys(s.columns["table"] for s in systems)
    for number in tables:
        print(f"Table {number}: BLEU of the paper / here ({args.metric})")
        rows = [system for system in systems if system.columns["table"] == number]
        print("\n".join(grid(rows, args.work, args.metric)), end="\n\n")
    print("\n".join(signatures(systems, args.work, args.metric)))


if __name__ == "__main__":
    sys.exit(main())
