"""Prepares the X-En text that the parent is trained on: as running text, without the child's script.

    python -m recipes.flores_si_en.parent_text --corpus XEN --child SI --out DIR [--raw] [--lines N]

XEN has SPLIT.xx-en.xx and SPLIT.xx-en.en, Moses tokens unless --raw says otherwise. The child's text is raw, so both
sides are detokenized: otherwise a row whose decoder is not trained would be scored with tokens of another kind. Pairs
with a Sinhala character in either side are left out.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import List

from recipes.engine.script import make_parser, run_script
from recipes.text.corpus_files import (
    Pair,
    find_languages,
    paths_of,
    read_pairs,
    write_pairs,
)
from recipes.text.moses import detokenize_lines
from recipes.text.raw_text import read_lines

LANGUAGE = "si"
SINHALA = re.compile("[\u0d80-\u0dff]")
EXPECTED = 77  # Sinhala characters in the child's text, by the paper


def prepare(args: argparse.Namespace) -> None:
    """Writes each language, and prints what was left out and what the child's text has."""
    languages = [name for name in find_languages(args.corpus, "train") if name != LANGUAGE]
    args.out.mkdir(parents=True, exist_ok=True)
    for split in ("train", "valid"):
        kept = removed = 0
        for language in languages:
            pairs = read_pairs(args.corpus, split, language)
            if split == "train":
                pairs = pairs[: args.lines]
            if not args.raw:
                pairs = detokenized(pairs, language, args.workers)
            clean = [pair for pair in pairs if not any(map(SINHALA.search, pair))]
            removed += len(pairs) - len(clean)
            kept += write_pairs(args.out, split, language, clean)
        print(
            f"{split}: {kept:,} pairs of {len(languages)} languages into English; left out for a Sinhala "
            f"character: {removed:,}"
        )
    child = paths_of(args.child, "train", LANGUAGE)[0]
    seen = {character for line in read_lines(child) for character in SINHALA.findall(line)}
    print(f"different Sinhala characters in {child.name}: {len(seen)} (paper: {EXPECTED})")
    print(f"characters of the X-En text: {check(args.out):,}, none of them Sinhala")


def detokenized(pairs: List[Pair], language: str, workers: int) -> List[Pair]:
    """Running text of the Moses tokens of both sides."""
    codes = (language.split("_")[0], "en")  # pt_br is pt for Moses
    sides = zip(*pairs)
    return list(zip(*(detokenize_lines(list(s), c, workers) for s, c in zip(sides, codes))))


def check(folder: Path) -> int:
    """Reads the finished text again, as a learner will, and returns the number of its characters.

    Raises:
        ValueError: If one of them is Sinhala; the message has path and line.
    """
    characters = 0
    for path in sorted(folder.glob("*.*-en.*")):
        for number, line in enumerate(read_lines(path), start=1):
            characters += len(line)
            found = SINHALA.search(line)
            if found:
                raise ValueError(
                    f"{path}:{number}: U+{ord(found[0]):04X}, which the parent must not see"
                )
    return characters


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the X-En text")
    parser.add_argument("--child", type=Path, required=True, help="folder of the child's text")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--raw", action="store_true", help="the X-En text is raw")
    parser.add_argument(
        "--lines", type=int, help="only the first N training pairs of each language"
    )
    parser.add_argument("--workers", type=int, help="number of detokenizing processes")
    return run_script(parser, prepare)


if __name__ == "__main__":
    sys.exit(main())
