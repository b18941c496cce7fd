"""Measures how a text is segmented by characters, BPE and byte-level BPE, with merges learned on both of its sides.

    python scripts/benchmarks/segmentations.py train.de train.en test.de --record docs/results/multi30k_statistics.json

The record is that of ``fairseq-subword stats --json`` for the first text, the third being the held-out one.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import List

from borders import subword
from records import header, write_record

# Name: encoder, and what learns its codes.
SEGMENTATIONS = {
    "characters": ("char_level", None),
    "BPE-8K": ("generalized_bpe", ["-s", 8000]),
    "BBPE-4K": ("bbpe", ["--unit", "byte", "--total-symbols", "-s", 4096]),
}


def measured(train: List[Path], heldout: Path, folder: Path) -> dict:
    """The statistics of the first training text, and the signature of each segmentation."""
    signatures, systems, flags = {}, [], ["--raw", train[0], "--heldout-raw", heldout]
    for name, (encoder, learn) in SEGMENTATIONS.items():
        codes = []
        if learn:
            printed = subword("learn-bpe", *learn, "-i", *train, "-o", folder / f"{name}.codes")
            signatures[name] = printed.strip().split("\n")[-1].partition("signature: ")[2]
            codes = ["-c", folder / f"{name}.codes"]
        cut = {text: folder / f"{name}.{text.name}" for text in (train[0], heldout)}
        for text, path in cut.items():
            subword("apply-bpe", "--encoder", encoder, *codes, "-i", text, "-o", path)
        systems.append(f"{name}={cut[train[0]]}")
        flags += ["--heldout", f"{name}={cut[heldout]}"]
    subword("stats", *systems, *flags, "--json", folder / "stats.json")
    statistics = json.loads((folder / "stats.json").read_text(encoding="utf-8"))
    return {"signatures": signatures, **statistics}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("train", nargs=2, metavar="TRAIN.LANG", type=Path)
    parser.add_argument("heldout", metavar="TEST.LANG", type=Path)
    parser.add_argument("--record", type=Path, required=True, metavar="FILE")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(args.train, args.heldout, Path(folder))
    names = " ".join(path.name for path in (*args.train, args.heldout))
    command = f"python scripts/benchmarks/segmentations.py {names}"
    write_record(args.record, header(command, ["numpy"], **figures))


if __name__ == "__main__":
    main()
