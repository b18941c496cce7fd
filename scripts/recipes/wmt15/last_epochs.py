"""Names the last epochs' checkpoints of several runs, for an ensemble.

    last_epochs.py -n 4 -o DIR RUN/checkpoints...

Links DIR/RUN.PLACE.pt, with RUN and PLACE counted from 1, the earliest epoch first.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import List

from recipes.engine.archives import link
from recipes.engine.script import make_parser, run_script

_EPOCH = re.compile(r"checkpoint(\d+)\.pt")


def last_epochs(folder: Path, number: int) -> List[Path]:
    """The checkpoints of the last epochs.

    Raises:
        ValueError: If there are fewer.
    """
    found = {int(match[1]): match.string for match in map(_EPOCH.fullmatch, names(folder)) if match}
    if len(found) < number:
        raise ValueError(
            f"{folder} has the checkpoints of {len(found)} epochs, not of {number}: train longer, or keep more "
            f"(--set checkpoint.keep_last_epochs={number})"
        )
    return [folder / found[epoch] for epoch in sorted(found)[-number:]]


def names(folder: Path) -> List[str]:
    return [path.name for path in folder.iterdir()]


def run(args: argparse.Namespace) -> None:
    for place, folder in enumerate(args.folders, start=1):
        for count, path in enumerate(last_epochs(folder, args.number), start=1):
            link(path, args.output / f"{place}.{count}.pt")


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("-n", "--number", type=int, required=True, metavar="N")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    return run_script(parser, run)


if __name__ == "__main__":
    sys.exit(main())
