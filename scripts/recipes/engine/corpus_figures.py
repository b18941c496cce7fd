"""Prints what the paper says of the data beside what is found, so that a wrong corpus shows at once.

    corpus_figures.py RECIPE --in DIR

A difference is a note, not an error: corpora are released again. If a file is missing, found is "-".
"""

import argparse
import re
import sys
from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence

from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.textio.tables import text_lines
from recipes.engine.script import make_parser, run_script

MEASURES = ("lines", "tokens", "types", "length")
_FIGURE = re.compile(r"(\d+(?:,\d{3})*)(\.\d+)?([KM]?)")
_UNIT = {"": 1, "K": 1000, "M": 1000000}


class Expected(NamedTuple):
    """A figure of the paper.

    Attributes:
        what: in words, as it is printed.
        files: names in the corpus, * and ? allowed, separated by spaces, counted as one text.
        measure: lines, tokens (split at spaces), types (different tokens) or length (tokens per line).
        expected: the figure; 213K and 5.1M are compared within their rounding.
    """

    what: str
    files: str
    measure: str
    expected: str


def measure(folder: Path, row: Expected) -> Optional[float]:
    """What the files give; None if one of them is missing."""
    paths: List[Path] = []
    for pattern in row.files.split():
        found = sorted(folder.glob(pattern))
        if not found:
            return None
        paths += found
    if row.measure == "types":
        return len(count_words(paths))
    lines = sum(count_lines(path) for path in paths)
    if row.measure == "lines":
        return lines
    tokens = sum(count for _, count in count_words(paths).items())
    return tokens if row.measure == "tokens" else tokens / max(lines, 1)


def count_lines(path: Path) -> int:
    """The number of newlines, and of a last line without one."""
    lines, last = 0, b"\n"
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            lines += block.count(b"\n")
            last = block[-1:]
    return lines + (last != b"\n")


def agrees(expected: str, found: float) -> bool:
    """Whether a figure is what the paper prints, within the rounding of its last digit."""
    whole, decimals, unit = _FIGURE.fullmatch(expected).groups()
    value = float(whole.replace(",", "") + (decimals or "")) * _UNIT[unit]
    return abs(found - value) <= 0.5 * _UNIT[unit] / 10 ** len((decimals or ".")[1:])


def show(found: Optional[float]) -> str:
    if found is None:
        return "-"
    return f"{found:,.1f}" if isinstance(found, float) else f"{found:,}"


def figures(expected: Sequence[Expected], folder: Path) -> List[str]:
    """The lines of the table."""
    table = [["", "", "paper", "found", ""]]
    for row in expected:
        value = measure(folder, row)
        note = "" if value is None or agrees(row.expected, value) else "differs"
        table.append([row.what, row.measure, row.expected, show(value), note])
    return text_lines(table, left=[True, True, False, False, True])


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("recipe")
    parser.add_argument("--in", dest="folder", type=Path, required=True)
    return run_script(parser, run)


def run(args: argparse.Namespace) -> None:
    from recipes.engine.catalogue import load

    print("\n".join(figures(load(args.recipe).expected, args.folder)))


if __name__ == "__main__":
    sys.exit(main())
