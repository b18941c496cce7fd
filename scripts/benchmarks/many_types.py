"""Measures learning from millions of word types: time, peak memory, and growth compared to n log n.

Each measure learns from each number of types, in turns and in a separate process (start-up and reading the
counts included). Absolute seconds mean little across machines; the ratios to ``frequency`` on the same
counts are comparable.
"""

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Dict, List, Tuple

from bpe import Run, run
from records import header, write_record

from fairseq_subword_ext.textio.tables import markdown_lines

HERE = Path(__file__).parent
OPTIONS = ("types", "measures", "merges", "rounds", "seed")


def learn(counts: Path, measure: str, merges: int, folder: Path) -> Run:
    """Learns once; memory is measured for the whole process."""
    done = run(
        [
            sys.executable, "-m", "fairseq_subword_ext", "learn-bpe", "--dict-input", "-i", str(counts),
            "-s", str(merges), "--measure", measure, "-o", str(folder / "codes"),
        ]
    )  # fmt: skip
    if done is None:
        raise SystemExit(f"learning from {counts.name} with {measure} failed")
    return done.run


def print_rows(rows: Dict[Tuple[float, str], List[Run]]) -> None:
    """Prints one line per run, in CPU seconds, which other work on the machine hardly affects."""
    table = [
        ["types", "measure", "CPU s", "times `frequency`", "peak GB", "time to the first row's"]
        + ["n log n"]
    ]
    cpu = {key: median(done.cpu_seconds for done in runs) for key, runs in rows.items()}
    smallest = min(millions for millions, _ in rows)
    base = next(iter(rows))[1]
    for (millions, measure), runs in rows.items():
        n, first = millions * 1e6, smallest * 1e6
        growth = cpu[millions, measure] / cpu[smallest, measure]
        expected = n * math.log(n) / (first * math.log(first))
        numbers = (
            cpu[millions, measure] / cpu[millions, base],
            max(done.megabytes for done in runs) / 1024,
            growth,
            expected,
        )
        table.append(
            [
                f"{millions:g} M",
                f"`{measure}`",
                f"{cpu[millions, measure]:.1f}",
                *(f"{number:.2f}" for number in numbers),
            ]
        )
    print("\n".join(markdown_lines(table)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--types", default="1,3", help="millions of word types, separated by commas"
    )
    parser.add_argument("--measures", default="frequency,av-weighted,dlg-weighted")
    parser.add_argument("--merges", type=int, default=32_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=Path, metavar="FILE", help="write all runs there, as JSON")
    arguments = parser.parse_args()
    measures = arguments.measures.split(",")
    rows: Dict[Tuple[float, str], List[Run]] = {}
    with tempfile.TemporaryDirectory() as name:
        for millions in sorted(map(float, arguments.types.split(","))):
            counts = Path(name) / f"{millions:g}M.counts"
            make = [sys.executable, HERE / "bpe_text.py", counts]
            make += ["--types", str(int(millions * 1e6)), "--seed", str(arguments.seed)]
            subprocess.run(make, check=True)
            print(f"{millions:g} M types: {counts.stat().st_size / 1e6:.0f} MB", file=sys.stderr)
            for _ in range(arguments.rounds):
                for measure in measures:
                    done = learn(counts, measure, arguments.merges, Path(name))
                    rows.setdefault((millions, measure), []).append(done)
                    print(f"  {measure}: {done}", file=sys.stderr, flush=True)
            counts.unlink()
    print_rows(rows)
    if arguments.record:
        options = " ".join(f"--{name} {getattr(arguments, name)}" for name in OPTIONS)
        found = [
            {
                "types": int(millions * 1e6),
                "measure": measure,
                "runs": [run._asdict() for run in runs],
            }
            for (millions, measure), runs in rows.items()
        ]
        command = f"python scripts/benchmarks/many_types.py {options}"
        write_record(arguments.record, header(command, seeds=[arguments.seed], rows=found))


if __name__ == "__main__":
    main()
