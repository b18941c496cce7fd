"""Builds the Sinhala-English corpus of FLoRes from the released files.

    python -m recipes.engine.corpus flores_si_en --raw DIR... --out DIR [--lines N]

Training text is OPUS' GNOME, Ubuntu, KDE4 and OpenSubtitles 2018 (NAME.en-si.si and .en), in this order; validation and
test sets are dev and devtest of FLoRes' first release. Writes {train,valid,test}.si-en.{si,en} into DIR/si.

As in FLoRes, training pairs are left out if a side has fewer than 6 or more than 250 pieces of a BPE of 5,000 that
SentencePiece learns from all of them. Otherwise the text stays as it is, zero-width joiners included; but a carriage
return inside a line, at which some readers would split it, becomes a space, and training pairs with an empty side are
left out.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import List, Optional, Sequence

from recipes.engine.commands import neutral, tool
from recipes.engine.corpus import Expected
from recipes.engine.recipe import option
from recipes.engine.run import Run, folder, positive
from recipes.engine.steps import Step
from recipes.engine.systems import System
from recipes.engine.x_en import XEnRecipe
from recipes.text.corpus_files import Pair, write_pairs
from recipes.text.pieces import train_model
from recipes.text.raw_text import find_file, read_parallel, unbroken

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
    out.mkdir(exist_ok=True)
    train: List[Pair] = []
    for name in TRAIN:
        pairs = read_pairs(args.raw, name)[: args.lines]
        whole = [pair for pair in pairs if all(side.strip() for side in pair)]
        report(name, pairs, len(pairs) - len(whole))
        train += whole
    write_pairs(out, "train", LANGUAGE, filtered(train, args.workers or 1))
    for split, name in HELD_OUT.items():
        pairs = read_pairs(args.raw, name)
        report(f"{split} ({name})", pairs, 0)
        write_pairs(out, split, LANGUAGE, pairs)


def read_pairs(raw: Sequence[Path], name: str) -> List[Pair]:
    """Reads ``NAME.si`` and ``NAME.en``, whose lines belong together.

    Raises:
        ValueError: If one is missing, the sides differ in length, or are not UTF-8.
    """
    opus = f"{name.partition('.')[0]}-en-si.txt.zip"
    archive = f"{FLORES}.tgz" if name in HELD_OUT.values() else opus
    paths = [find_file(raw, [f"{name}.{side}"], archive) for side in (LANGUAGE, "en")]
    return list(read_parallel(*paths, unbroken))


def report(name: str, pairs: List[Pair], empty: int) -> None:
    joiners = sum(source.count(JOINER) for source, _ in pairs)
    print(
        f"{name}: {len(pairs):,} pairs; with an empty side, left out: {empty:,}; zero-width joiners, kept: {joiners:,}"
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
