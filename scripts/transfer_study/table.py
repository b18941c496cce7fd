#!/usr/bin/env python3
"""Prints the scores of a transfer study, a row for each way of training the child.

Reads ROW/seedN/SET.json under the child's folder, as run.sh leaves them. A row with several seeds
shows mean and sample standard deviation.
"""

import argparse
import json
import re
import statistics
import sys
from pathlib import Path
from typing import Dict, List

from fairseq_subword_ext.textio.tables import text_lines

METRICS = ("chrF", "BLEU")


def load(folder: Path, row: str, name: str) -> List[dict]:
    """A row's records of one test set, one for each seed.

    Raises:
        ValueError: If the row was not run.
    """
    paths = sorted((folder / row).glob(f"seed*/{name}.json"))
    if not paths:
        raise ValueError(f"{folder / row} has no seedN/{name}.json: run that row first")
    return [json.loads(path.read_text(encoding="utf-8"))["systems"][0] for path in paths]


def spread(values: List[float]) -> str:
    """Mean and sample standard deviation; a single value has none."""
    deviation = f" ± {statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.1f}{deviation}"


def parameters(folder: Path, row: str) -> str:
    """How many parameters the row trained, as Fairseq's log says."""
    for log in sorted((folder / row).glob("seed*/train.log")):
        found = re.search(r"num\. trained: ([\d,]+)\)", log.read_text(encoding="utf-8"))
        if found is not None:
            return found[1]
    return "0"


def lines_of(folder: Path, rows: List[str], tests: List[str]) -> List[str]:
    """The table, with the number of seeds and the signatures below it."""
    heads = [f"{name} {metric}" for name in tests for metric in METRICS]
    table = [["trained", "parameters", "seeds", *heads]]
    signatures: Dict[str, str] = {}
    for row in rows:
        records = {name: load(folder, row, name) for name in tests}
        cells = [
            spread([record["scores"][metric] for record in records[name]])
            for name in tests
            for metric in METRICS
        ]
        signatures = records[tests[0]][0]["signatures"]
        seeds = len(records[tests[0]])
        table.append([row, parameters(folder, row), str(seeds), *cells])
    return text_lines(table) + [f"{metric}: {signatures[metric]}" for metric in METRICS]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="folder of the child's runs")
    parser.add_argument("--rows", required=True, help="separated by commas")
    parser.add_argument("--tests", default="test", help="test sets (default: %(default)s)")
    args = parser.parse_args()
    try:
        print("\n".join(lines_of(args.folder, args.rows.split(","), args.tests.split(","))))
    except (OSError, ValueError, KeyError) as error:
        print(f"table.py: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
