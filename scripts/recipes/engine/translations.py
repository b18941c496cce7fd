"""Takes the translations out of what fairseq-generate printed, in the order of the source.

    translations.py -o test.txt [--restore char-ngrams] [--detruecase] [--detokenize de] [--limit 200] test.out
    translations.py -o all.txt kftt.out ted.out jesc.out

Several outputs are joined. Plain text, one translation per line, is taken as it is.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Dict, Iterable

from fairseq_subword_ext.codecs.recognition import Restorer
from fairseq_subword_ext.codecs.registry import notation_of
from fairseq_subword_ext.evaluation.system_output import read_system
from fairseq_subword_ext.textio.files import read_text_lines
from recipes.engine.script import make_parser, run_script
from recipes.text.corpus_files import write_lines
from recipes.text.moses import detokenize_lines, detruecase_lines

_HYPOTHESIS = re.compile(r"H-(\d+)\t[^\t]*\t(.*)", re.DOTALL)


def at_limit(lines: Iterable[str], limit: int) -> int:
    """Counts the sentences whose best translation has this many symbols."""
    best: Dict[str, str] = {}
    for line in lines:
        found = _HYPOTHESIS.fullmatch(line)
        if found is not None:
            best.setdefault(found[1], found[2])
    return sum(len(symbols.split()) >= limit for symbols in best.values())


def report_length(path: Path, limit: int) -> None:
    """Prints how many translations may be unfinished, if any."""
    reached = at_limit(read_text_lines(path), limit)
    if reached:
        print(
            f"{path.name}: {reached:,} translations have {limit} symbols, the limit of --max-len-b, "
            "and may be unfinished"
        )


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("outputs", type=Path, nargs="+", metavar="OUTPUT")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--restore", metavar="BASELINE", help="undo a segmentation of segment-baseline"
    )
    parser.add_argument(
        "--detruecase", action="store_true", help="begin sentences with a capital letter"
    )
    parser.add_argument(
        "--detokenize", metavar="LANGUAGE", help="make running text of Moses tokens"
    )
    parser.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help="say how many translations have N symbols, the most that fairseq-generate allowed",
    )
    parser.add_argument("--workers", type=int, help="number of detokenizing processes")
    return run_script(parser, run)


def run(args: argparse.Namespace) -> None:
    lines = [line for path in args.outputs for line in read_system(str(path)).lines]
    if args.restore:
        lines = Restorer(lambda: notation_of(args.restore)).restore(lines)
    if args.detruecase:
        lines = detruecase_lines(lines, args.workers)
    if args.detokenize:
        lines = detokenize_lines(lines, args.detokenize, args.workers)
    write_lines(args.output, lines)
    if args.limit is not None:
        for path in args.outputs:
            report_length(path, args.limit)


if __name__ == "__main__":
    sys.exit(main())
