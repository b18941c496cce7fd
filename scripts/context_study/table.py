#!/usr/bin/env python3
"""Prints the scores of a context study: mean and spread over the seeds, and the gain over no context.

Reads UNIT/CONTEXT/seedN/scores.json under the folder of the study, as run.sh leaves them. The spread
is the sample standard deviation. The gain is the mean, over the seeds, of a run's chrF less that of
the run without context of the same seed.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Dict, List, Tuple

from fairseq_subword_ext.textio.tables import text_lines

METRICS = ("chrf", "bleu", "exact")


def load(study: Path, unit: str, context: str, seeds: List[str]) -> Tuple[Dict[str, list], dict]:
    """The scores over all languages, a list by seed for each metric, and the signatures.

    Raises:
        OSError: If a run is missing.
    """
    scores, signatures = {metric: [] for metric in METRICS}, {}
    for seed in seeds:
        path = study / unit / context / f"seed{seed}" / "scores.json"
        record = json.loads(path.read_text(encoding="utf-8"))
        for metric in METRICS:
            scores[metric].append(record["scores"]["all"]["system"][metric])
        signatures = record["signatures"]
    return scores, signatures


def spread(values: List[float]) -> str:
    """Mean and sample standard deviation; a single value has none."""
    deviation = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.2f}{deviation}"


def rows(study: Path, units: List[str], contexts: List[str], seeds: List[str]) -> List[str]:
    """The lines of the table, its header and the signatures included."""
    table = [["unit", "context", "chrF", "BLEU", "exact match %", "chrF over none"]]
    signatures = {}
    for unit in units:
        plain = load(study, unit, "none", seeds)[0]["chrf"] if "none" in contexts else None
        for context in contexts:
            scores, signatures = load(study, unit, context, seeds)
            cells = [spread(scores[metric]) for metric in METRICS]
            gains = [one - other for one, other in zip(scores["chrf"], plain or ())]
            gain = spread(gains) if gains and context != "none" else ""
            table.append([unit, context, *cells, gain])
    lines = text_lines(table, left=[True] * len(table[0]))
    lines.append(f"mean ± standard deviation of {len(seeds)} seeds: {', '.join(seeds)}")
    lines += [f"{name}: {signature}" for name, signature in signatures.items()]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("study", type=Path, help="folder of the study")
    for name, default in (
        ("seeds", "1,2,3"),
        ("contexts", "none,conv,gru"),
        ("units", "bytes,bbpe"),
    ):
        parser.add_argument(f"--{name}", default=default, help="(default: %(default)s)")
    args = parser.parse_args()
    try:
        lists = (value.split(",") for value in (args.units, args.contexts, args.seeds))
        print("\n".join(rows(args.study, *lists)))
    except (OSError, ValueError, KeyError) as error:
        print(f"table.py: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
