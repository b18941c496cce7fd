#!/usr/bin/env python3
"""Wu & Zhao 2018, Figure 2: how much each segmentation splits the training text.

    figure2.py systems.tsv --work WORK

For every row of systems.tsv whose codes are learned: words a sentence that stay split, and by how many
percent its subwords make the sentence longer; both sides of the training text together.
"""

import sys
from pathlib import Path
from typing import Dict, List, NamedTuple

from expect import count_lines
from script import make_parser, run_script
from systems import read_systems

from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.textio.tables import text_lines


class Splitting(NamedTuple):
    """Attributes:
    split: words that stay split, a sentence.
    increase: percent that a sentence is longer in subwords than in words.
    """

    split: float
    increase: float


def splitting(codes: Path, counts: Dict[str, int], sentences: int) -> Splitting:
    """Segments every word type once, and counts it as often as it occurs."""
    pieces = Segmenter(MergeTable.load(codes)).segment_lines(list(counts))
    lengths = [line.count(" ") + 1 for line in pieces]
    words = sum(counts.values())
    split = sum(count for count, length in zip(counts.values(), lengths) if length > 1)
    symbols = sum(count * length for count, length in zip(counts.values(), lengths))
    return Splitting(split / sentences, 100 * (symbols / words - 1))


def print_grid(title: str, cells: Dict[str, Dict[str, str]]) -> None:
    """Merges down, measures across."""
    across = list(dict.fromkeys(column for row in cells.values() for column in row))
    rows: List[List[str]] = [["", *across]]
    rows += [[down, *(row.get(name, "-") for name in across)] for down, row in cells.items()]
    print("\n".join([title, *text_lines(rows), ""]))


def figure(systems_file: Path, work: Path) -> None:
    """Prints both halves of the figure.

    Raises:
        ValueError: If the corpus or the codes cannot be read.
        OSError: likewise.
    """
    paths = [work / "corpus" / f"train.de-en.{language}" for language in ("de", "en")]
    counts = dict(count_words(paths).items())
    sentences = sum(map(count_lines, paths))
    split: Dict[str, Dict[str, str]] = {}
    increase: Dict[str, Dict[str, str]] = {}
    for system in read_systems(systems_file):
        codes = work / "segmentations" / system.columns["segmentation"] / "codes"
        if codes.exists():
            down, across = system.columns["down"], system.columns["across"]
            found = splitting(codes, counts, sentences)
            split.setdefault(down, {})[across] = f"{found.split:.2f}"
            increase.setdefault(down, {})[across] = f"{found.increase:.1f}"
    print_grid(
        "Figure 2: split words per sentence (in the paper AV' is between DLG' and FRQ')", split
    )
    print_grid("Figure 2: increase in sentence length by subwords, percent", increase)


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("systems", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    return run_script(parser, lambda args: figure(args.systems, args.work))


if __name__ == "__main__":
    sys.exit(main())
