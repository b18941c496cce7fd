"""Unpacks a packed model under names that do not depend on it: model.pt, dict.txt, codes and codes.json.

python -m recipes.own.unpack ARCHIVE --out DIR
"""

import argparse
import shutil
import sys
import tarfile
from pathlib import Path

from recipes.engine.script import make_parser, run_script

from fairseq_subword_ext.checkpoints.packed_checkpoint import CODES_NAME

NAMES = {
    CODES_NAME: "codes",
    f"{CODES_NAME}.json": "codes.json",
    "model.pt": "model.pt",
    "dict.en.txt": "dict.txt",
}


def unpack(args: argparse.Namespace) -> None:
    """Writes the files.

    Raises:
        ValueError: If the archive has no model, or several, or no dictionary.
    """
    args.out.mkdir(parents=True, exist_ok=True)
    with tarfile.open(args.archive) as archive:
        for member in archive:
            name = NAMES.get(Path(member.name).name)
            if name and member.isfile():
                with (args.out / name).open("wb") as written:
                    shutil.copyfileobj(archive.extractfile(member), written)
    for name in ("model.pt", "dict.txt"):
        if not (args.out / name).exists():
            raise ValueError(f"{args.archive}: it has no {name}; an ensemble cannot be a parent")


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    return run_script(parser, unpack)


if __name__ == "__main__":
    sys.exit(main())
