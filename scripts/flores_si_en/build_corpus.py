#!/usr/bin/env python3
"""Builds the Sinhala-English corpus of FLoRes from the released files.

    build_corpus.py --raw DIR --out DIR

Training text are OPUS' GNOME, Ubuntu, KDE4 and OpenSubtitles 2018 (NAME.en-si.si and .en), in this
order; validation and test sets are FLoRes' dev and devtest, the ones of its first release. Writes
{train,valid,test}.si-en.{si,en}.

The text stays as it is, zero-width joiners included, but for two things that are counted and printed:
a carriage return inside a line, where some readers would see two lines and lose step with the other
side, becomes a space; training pairs with an empty side are left out.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import List, Optional, Sequence

from corpus_files import Pair, write_pairs
from script import make_parser, run_script

LANGUAGE = "si"
TRAIN = tuple(f"{name}.en-si" for name in ("GNOME", "Ubuntu", "KDE4", "OpenSubtitles"))
FLORES = "wikipedia_en_ne_si_test_sets"
HELD_OUT = {"valid": f"{FLORES}/wikipedia.dev.si-en", "test": f"{FLORES}/wikipedia.devtest.si-en"}
JOINER = "\u200d"


def build_parser() -> argparse.ArgumentParser:
    parser = make_parser(__doc__)
    parser.add_argument("--raw", type=Path, required=True, help="folder with the unpacked files")
    parser.add_argument("--out", type=Path, required=True, help="output folder")
    parser.add_argument("--lines", type=int, help="only the first pairs of each training file")
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    return run_script(build_parser(), build, argv)


def build(args: argparse.Namespace) -> None:
    """Reads, cleans, counts and writes all splits."""
    args.out.mkdir(parents=True, exist_ok=True)
    train: List[Pair] = []
    for name in TRAIN:
        seen: Counter = Counter()
        pairs = read_parallel(args.raw / name, seen)[: args.lines]
        whole = [pair for pair in pairs if all(side.strip() for side in pair)]
        report(name, pairs, len(pairs) - len(whole), seen)
        train += whole
    write_pairs(args.out, "train", LANGUAGE, train)
    print(f"train, before the filter by length: {len(train):,} pairs")
    for split, name in HELD_OUT.items():
        seen = Counter()
        pairs = read_parallel(args.raw / name, seen)
        report(f"{split} ({name})", pairs, 0, seen)
        write_pairs(args.out, split, LANGUAGE, pairs)


def read_parallel(prefix: Path, seen: Counter) -> List[Pair]:
    """Reads ``PREFIX.si`` and ``PREFIX.en``, whose lines belong together.

    Args:
        prefix: of the two files.
        seen: counts lines with a lone carriage return.

    Raises:
        ValueError: If the sides differ in length, or are not UTF-8.
        OSError: If one is missing.
    """
    sides = [
        cleaned_lines(prefix.with_name(f"{prefix.name}.{side}"), seen) for side in (LANGUAGE, "en")
    ]
    if len(sides[0]) != len(sides[1]):
        raise ValueError(
            f"{prefix}.si has {len(sides[0]):,} lines, {prefix}.en has {len(sides[1]):,}: they belong to different "
            "releases, or are incomplete"
        )
    return list(zip(*sides))


def cleaned_lines(path: Path, seen: Counter) -> List[str]:
    """The lines of a file, which end at ``\\n`` or ``\\r\\n``; a carriage return inside is a space."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8") from error
    lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]
    if not lines[-1]:
        lines.pop()
    seen["carriage returns"] += sum("\r" in line for line in lines)
    return [line.replace("\r", " ") for line in lines]


def report(name: str, pairs: List[Pair], empty: int, seen: Counter) -> None:
    joiners = sum(source.count(JOINER) for source, _ in pairs)
    print(
        f"{name}: {len(pairs):,} pairs; lines with a carriage return inside, now a space: "
        f"{seen['carriage returns']:,}; pairs with an empty side, left out: {empty:,}; zero-width joiners, "
        f"kept: {joiners:,}"
    )


if __name__ == "__main__":
    sys.exit(main())
