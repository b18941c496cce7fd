#!/usr/bin/env python3
"""Prints a table in the paper's layout: its figures, and below each row what was found here.

    table.py systems.tsv --work WORK [--metric NAME...] [--where COLUMN=VALUE]

Reads WORK/systems/SYSTEM/scores.json of each system of systems.tsv that has one:

    {"figures": {COLUMN: {METRIC: number}}, "signatures": {METRIC: text}, ...}

COLUMN is a column of the paper's table (figure:COLUMN in systems.tsv), METRIC says what was measured
("tokenized", "detokenized").
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from script import make_parser, run_script
from systems import System, read_systems

from fairseq_subword_ext.textio.tables import text_lines


def read_scores(work: Path, system: System) -> Optional[dict]:
    """The scores of a system; None where it has not been run.

    Raises:
        ValueError: If the file is not what a recipe writes.
    """
    path = work / "systems" / system.name / "scores.json"
    if not path.exists():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        for scores in record["figures"].values():
            dict(scores)
        dict(record["signatures"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: not the scores of a recipe ({error!r}); score again") from error
    return record


def table(systems: Sequence[System], work: Path, wanted: Sequence[str]) -> List[str]:
    """The lines of the table and, below it, the signatures."""
    columns = list(dict.fromkeys(name for system in systems for name in system.figures))
    rows = [["", "", *columns]]
    signatures: Dict[str, Dict[str, List[str]]] = {}
    for system in systems:
        rows.append(
            [system.columns.get("row") or system.name, "paper"]
            + [system.figures[name] or "-" for name in columns]
        )
        record = read_scores(work, system)
        if record is None:
            rows.append(["", "here: not run", *["-"] * len(columns)])
            continue
        for metric, signature in record["signatures"].items():
            if wanted and metric not in wanted:
                continue
            signatures.setdefault(metric, {}).setdefault(signature, []).append(system.name)
            found = [record["figures"].get(name, {}).get(metric) for name in columns]
            rows.append(["", f"here, {metric}", *("-" if x is None else f"{x:.2f}" for x in found)])
    lines = text_lines(rows, left=[True, True, *[False] * len(columns)])
    for metric, by_signature in signatures.items():
        for signature, names in by_signature.items():
            # Systems that were scored in different ways do not compare, so each way is shown.
            of = "" if len(by_signature) == 1 else f" ({', '.join(names)})"
            lines.append(f"{metric}: {signature}{of}")
    return lines


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("systems", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--metric", action="append", default=[], help="only this one")
    parser.add_argument(
        "--where", metavar="COLUMN=VALUE", help="only rows with this value in systems.tsv"
    )
    return run_script(parser, run)


def run(args: argparse.Namespace) -> None:
    systems = read_systems(args.systems)
    if args.where:
        column, _, value = args.where.partition("=")
        systems = [system for system in systems if system.columns.get(column) == value]
        if not systems:
            raise ValueError(f"--where {args.where}: no row of {args.systems} has that")
    print("\n".join(table(systems, args.work, args.metric)))


if __name__ == "__main__":
    sys.exit(main())
