#!/usr/bin/env python3
"""Takes the translations out of what fairseq-generate printed, in the order of the source.

    translations.py -o test.txt [--detokenize de] test.out
    translations.py -o all.txt kftt.out ted.out jesc.out

Several outputs are joined. --detokenize LANGUAGE makes running text of Moses tokens. --report-length says
how many translations are as long as --max-len-a and --max-len-b allow, and so perhaps unfinished. Plain
text, a translation a line, is taken as it is.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Dict, Iterable, NamedTuple, Optional

from corpus_files import write_lines
from moses import detokenize_lines
from script import make_parser, run_script

from fairseq_subword_ext.evaluation.system_output import read_system
from fairseq_subword_ext.subword.files import read_text_lines

_LIMIT = re.compile(r"'max_len_a': ([\d.]+), 'max_len_b': (\d+)")
_SYMBOLS = re.compile(r"([SH])-(\d+)\t(.*)", re.DOTALL)


class Limit(NamedTuple):
    """a * (symbols of the source, </s> counted) + b."""

    a: float
    b: int


def find_limit(lines: Iterable[str]) -> Optional[Limit]:
    """The limit that fairseq-generate logged with its other settings; None where it did not."""
    for line in lines:
        found = _LIMIT.search(line)
        if found is not None:
            return Limit(float(found[1]), int(found[2]))
    return None


def at_limit(lines: Iterable[str], limit: Limit) -> int:
    """How many translations have as many symbols as their source allows, or more.

    Fairseq takes the longest source of a batch for the formula, so a translation that was cut off is
    never shorter than what its own source allows.
    """
    source: Dict[int, int] = {}
    translation: Dict[int, int] = {}
    for line in lines:
        found = _SYMBOLS.fullmatch(line)
        if found is None:
            continue
        if found[1] == "S":
            source[int(found[2])] = len(found[3].split())
        else:
            symbols = len(found[3].partition("\t")[2].split())
            translation.setdefault(int(found[2]), symbols)
    return sum(
        symbols >= int(limit.a * (source.get(number, 0) + 1) + limit.b)
        for number, symbols in translation.items()
    )


def report_length(path: Path) -> None:
    """Prints how many translations may be unfinished."""
    lines = list(read_text_lines(path))
    limit = find_limit(lines)
    if limit is not None:
        print(
            f"{path.name}: {at_limit(lines, limit):,} translations have {limit.a:g} * source length + "
            f"{limit.b} symbols or more, and may be unfinished"
        )


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("outputs", type=Path, nargs="+", metavar="OUTPUT")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument("--detokenize", metavar="LANGUAGE")
    parser.add_argument("--report-length", action="store_true")
    parser.add_argument("--workers", type=int, help="processes that detokenize")
    return run_script(parser, run)


def run(args: argparse.Namespace) -> None:
    lines = [line for path in args.outputs for line in read_system(str(path)).lines]
    if args.detokenize:
        lines = detokenize_lines(lines, args.detokenize, args.workers)
    write_lines(args.output, lines)
    if args.report_length:
        for path in args.outputs:
            report_length(path)


if __name__ == "__main__":
    sys.exit(main())
