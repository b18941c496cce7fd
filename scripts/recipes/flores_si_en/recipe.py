#!/usr/bin/env python3
"""Builds the Sinhala-English corpus of FLoRes from the released files.

    recipe.py --raw DIR... --out DIR [--lines N]

Training text is OPUS' GNOME, Ubuntu, KDE4 and OpenSubtitles 2018 (NAME.en-si.si and .en), in this order; validation and
test sets are dev and devtest of FLoRes' first release. Writes {train,valid,test}.si-en.{si,en} into DIR/si.

As in FLoRes, training pairs are left out if a side has fewer than 6 or more than 250 pieces of a BPE of 5,000 that
SentencePiece learns from all of them. Otherwise the text stays as it is, zero-width joiners included; but a carriage
return inside a line, at which some readers would split it, becomes a space, and training pairs with an empty side are
left out.
"""

import argparse
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import List, Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recipes.engine.commands import neutral, tool
from recipes.engine.corpus_figures import Expected
from recipes.engine.recipe import corpus_parser, option
from recipes.engine.run import Run, folder, positive
from recipes.engine.script import run_script
from recipes.engine.steps import Step
from recipes.engine.systems import System
from recipes.engine.x_en import XEnRecipe
from recipes.text.corpus_files import Pair, write_pairs
from recipes.text.pieces import train_model
from recipes.text.raw_text import find_file, read_text

from fairseq_subword_ext.textio.tables import Table

LANGUAGE = "si"
XEN = "xen"  # the parent's row and its folder in the corpus
TRAIN = tuple(f"{name}.en-si" for name in ("GNOME", "Ubuntu", "KDE4", "OpenSubtitles"))
FLORES = "wikipedia_en_ne_si_test_sets"
HELD_OUT = {"valid": "wikipedia.dev.si-en", "test": "wikipedia.devtest.si-en"}
JOINER = "\u200d"
PIECES, SHORTEST, LONGEST = 5000, 6, 250


class SinhalaEnglish(XEnRecipe):
    """Wang, Cho & Gu 2020, Table 8."""

    name = "flores_si_en"
    title = "Sinhala-English, FLoRes: transfer from X-En (Wang, Cho & Gu 2020, Table 8)"
    paper = "Wang, Cho & Gu 2020, Table 8"
    size = "405K pairs"
    needs = "the download, and --xen DIR for all rows but bpe_5k"
    options = (
        option("--xen", "X-En text: SPLIT.xx-en.xx and SPLIT.xx-en.en", type=folder, metavar="DIR"),
        option("--xen-raw", "this text is raw (default: Moses tokens, which are detokenized)", action="store_true"),
        option("--parent-updates", "stop the training on X-En after N updates (default: as --updates)", type=positive, metavar="N"),
    )  # fmt: skip
    expected = (
        Expected("train", "si/train.si-en.si", "lines", "405K"),
        Expected("valid", "si/valid.si-en.si", "lines", "2,898"),
        Expected("test", "si/test.si-en.si", "lines", "2,766"),
    )

    def check(self, run: Run, systems: Sequence[System]) -> None:
        for system in systems:
            if XEN in (system["parent"], system["corpus"]) and not run.options.xen:
                raise ValueError(
                    f"{system.name} needs --xen DIR: its subwords are learned on X-En text"
                )

    def corpus_steps(self, run: Run) -> List[Step]:
        (corpus,) = super().corpus_steps(run)
        child, parent = run.corpus / LANGUAGE, run.corpus / XEN
        steps = [replace(corpus, outputs=[child])]
        if run.options.xen:
            flags = ["--raw"] if run.options.xen_raw else []
            flags += ["--lines", run.lines] if run.lines else []
            make = tool(
                "flores_si_en.parent_text", "--corpus", run.options.xen, "--child", child, "--out", parent,
                *flags, *neutral("--workers", run.workers),
            )  # fmt: skip
            steps.append(Step("corpus xen", [make], [run.options.xen, child], [parent], "once"))
        return steps

    def test_sets_of(self, system: System) -> Sequence[str]:
        return () if system["corpus"] == XEN else self.test_sets

    def updates_of(self, run: Run, system: System) -> Optional[int]:
        return run.options.parent_updates if system["corpus"] == XEN else None

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        return super().tables(run, [system for system in systems if system.name != XEN])


RECIPE = SinhalaEnglish()


def build(args: argparse.Namespace) -> None:
    """Reads, cleans, filters, counts and writes all splits."""
    out = args.out / LANGUAGE
    out.mkdir(parents=True, exist_ok=True)
    train: List[Pair] = []
    for name in TRAIN:
        seen: Counter = Counter()
        pairs = read_parallel(args.raw, name, seen)[: args.lines]
        whole = [pair for pair in pairs if all(side.strip() for side in pair)]
        report(name, pairs, len(pairs) - len(whole), seen)
        train += whole
    write_pairs(out, "train", LANGUAGE, filtered(train, args.workers or 1))
    for split, name in HELD_OUT.items():
        seen = Counter()
        pairs = read_parallel(args.raw, name, seen)
        report(f"{split} ({name})", pairs, 0, seen)
        write_pairs(out, split, LANGUAGE, pairs)


def read_parallel(raw: Sequence[Path], name: str, seen: Counter) -> List[Pair]:
    """Reads ``NAME.si`` and ``NAME.en``, whose lines belong together.

    Args:
        raw: the folders with the source files.
        name: of the two files.
        seen: counts lines with a lone carriage return.

    Raises:
        ValueError: If one is missing, the sides differ in length, or are not UTF-8.
    """
    archive = (
        f"{FLORES}.tgz" if name in HELD_OUT.values() else f"{name.split('.')[0]}-en-si.txt.zip"
    )
    paths = [find_file(raw, [f"{name}.{side}"], archive) for side in (LANGUAGE, "en")]
    sides = [cleaned_lines(path, seen) for path in paths]
    if len(sides[0]) != len(sides[1]):
        raise ValueError(
            f"{paths[0]} has {len(sides[0]):,} lines, {paths[1]} has {len(sides[1]):,}: they belong to different "
            "releases, or are incomplete"
        )
    return list(zip(*sides))


def cleaned_lines(path: Path, seen: Counter) -> List[str]:
    """The lines of a file, which end at ``\\n`` or ``\\r\\n``; a carriage return inside is a space."""
    lines = [line[:-1] if line.endswith("\r") else line for line in read_text(path).split("\n")]
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


def filtered(pairs: List[Pair], workers: int) -> List[Pair]:
    """The pairs whose sides both have :data:`SHORTEST` to :data:`LONGEST` pieces.

    Raises:
        ValueError: If none is left.
    """
    import sentencepiece

    proto = train_model((side for pair in pairs for side in pair), PIECES, workers)
    model = sentencepiece.SentencePieceProcessor(model_proto=proto)
    sides = [model.encode([pair[side] for pair in pairs], num_threads=workers) for side in (0, 1)]
    lengths = [tuple(map(len, encoded)) for encoded in zip(*sides)]
    kept = [
        pair
        for pair, pieces in zip(pairs, lengths)
        if min(pieces) >= SHORTEST and max(pieces) <= LONGEST
    ]
    short = sum(min(pieces) < SHORTEST for pieces in lengths)
    print(
        f"train: {len(kept):,} of {len(pairs):,} pairs kept; shorter than {SHORTEST} pieces: {short:,}; "
        f"else longer than {LONGEST}: {len(pairs) - len(kept) - short:,}"
    )
    if not kept:
        raise ValueError("no training pair is long enough; give more --lines")
    return kept


def main() -> int:
    return run_script(corpus_parser(__doc__, RECIPE), build)


if __name__ == "__main__":
    sys.exit(main())
