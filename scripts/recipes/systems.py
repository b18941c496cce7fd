#!/usr/bin/env python3
"""Reads a recipe's systems.tsv: one row for each row of the paper's table.

Columns, by tabs, in any order; "-" stands for nothing:

    system        what run.sh is called with
    row           the paper's name of the row
    segmentation  name of the segmented data; rows with one name share it
    encoder       Fairseq's --bpe: bbpe, byte_level, char_level, generalized_bpe
    learn         flags of fairseq-subword learn-bpe; nothing for bytes and characters
    config        configs/RECIPE/CONFIG.yaml
    generate      flags of fairseq-generate
    figure:NAME   the paper's figure in the column NAME of its table

A recipe may have further columns. Lines that start with # are comments.

    systems.py systems.tsv            lists the systems
    systems.py systems.tsv SYSTEM     prints the row as shell assignments, SYSTEM_encoder=...
"""

import argparse
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List

from script import make_parser, run_script

FIGURE = "figure:"


@dataclass(frozen=True)
class System:
    """One row.

    Attributes:
        name: what run.sh is called with.
        columns: all other columns but figures; "" for nothing.
        figures: the paper's figures by the names of its table's columns, as they are printed there.
    """

    name: str
    columns: Dict[str, str]
    figures: Dict[str, str]


def read_systems(path: Path) -> List[System]:
    """Reads all rows.

    Raises:
        ValueError: With path and line, for a row of another length than the header, a name that is
            no folder's name, or one that comes twice.
        OSError: If the file cannot be read.
    """
    lines = [
        (number, line.split("\t"))
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines or "system" not in lines[0][1]:
        raise ValueError(f"{path}:1: expected a header with the column 'system', by tabs")
    header = lines[0][1]
    systems: Dict[str, System] = {}
    for number, cells in lines[1:]:
        if len(cells) != len(header):
            raise ValueError(
                f"{path}:{number}: {len(cells)} columns, the header has {len(header)}; columns are "
                "separated by one tab, and '-' stands for nothing"
            )
        row = {name: "" if cell == "-" else cell for name, cell in zip(header, cells)}
        name = row.pop("system")
        if not name or "/" in name or name.startswith("."):
            raise ValueError(f"{path}:{number}: {name!r} cannot be the name of a system")
        if name in systems:
            raise ValueError(f"{path}:{number}: the system {name} is listed twice")
        figures = {key[len(FIGURE) :]: row[key] for key in header if key.startswith(FIGURE)}
        columns = {key: cell for key, cell in row.items() if not key.startswith(FIGURE)}
        systems[name] = System(name, columns, figures)
    return list(systems.values())


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("system", nargs="?")
    return run_script(parser, run)


def run(args: argparse.Namespace) -> None:
    systems = read_systems(args.file)
    if args.system is None:
        for system in systems:
            print(f"{system.name}\t{system.columns.get('row', '')}")
        return
    found = [system for system in systems if system.name == args.system]
    if not found:
        names = ", ".join(system.name for system in systems)
        raise ValueError(f"no system {args.system!r} in {args.file}: {names}")
    for column, cell in found[0].columns.items():
        print(f"SYSTEM_{column}={shlex.quote(cell)}")


if __name__ == "__main__":
    sys.exit(main())
