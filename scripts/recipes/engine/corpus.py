"""Makes a recipe's corpus, and prints what the paper says of it beside what is found.

    python -m recipes.engine.corpus RECIPE [--raw DIR...] --out DIR [OPTION...]

The recipe's module has the function ``build``. A figure that differs is a note, not an error: corpora are released
again. If a file is missing, found is "-".
"""

import argparse
import importlib
import re
import sys
from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence

from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.textio.tables import text_lines
from recipes.engine.run import names
from recipes.engine.script import make_parser, run_script

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


def figures(expected: Sequence[Expected], folder: Path) -> List[str]:
    """The lines of the table."""
    table = [["", "", "paper", "found", ""]]
    for row in expected:
        found = measure(folder, row)
        shown = "-" if found is None else f"{found:,.{isinstance(found, float):d}f}"
        note = "" if found is None or agrees(row.expected, found) else "differs"
        table.append([row.what, row.measure, row.expected, shown, note])
    return text_lines(table, left=[True, True, False, False, True])


def parser_of(recipe) -> argparse.ArgumentParser:
    """The command line for one recipe's corpus."""
    parser = make_parser(sys.modules[type(recipe).__module__].__doc__)
    parser.add_argument("recipe")
    parser.add_argument(
        "--raw", type=Path, nargs="+", default=[], help="folders with the source files"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the corpus")
    parser.add_argument(
        "--lines", type=int, metavar="N", help="use only the first N training lines"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="number of processes")
    parser.add_argument("--languages", type=names, default=[], metavar="xx,yy", help="only these")
    for option in recipe.options:
        if option.name in recipe.corpus_options:
            option.add_to(parser)
    for option in recipe.more_corpus_options:
        option.add_to(parser)
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Makes the corpus of the recipe that is named first."""
    from recipes.engine.catalogue import load

    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0].startswith("-"):
        print(__doc__.strip())
        return 2
    try:
        recipe = load(arguments[0])
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1

    def run(args: argparse.Namespace) -> None:
        args.out.mkdir(parents=True, exist_ok=True)
        importlib.import_module(type(recipe).__module__).build(args)
        if recipe.expected:
            print("\n".join(figures(recipe.expected, args.out)))

    return run_script(parser_of(recipe), run, arguments)


if __name__ == "__main__":
    sys.exit(main())
