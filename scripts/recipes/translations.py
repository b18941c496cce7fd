#!/usr/bin/env python3
"""Takes the translations out of what fairseq-generate printed, in the order of the source.

    translations.py -o test.txt [--detokenize de] test.out
    translations.py -o all.txt kftt.out ted.out jesc.out

Several outputs are joined. --detokenize LANGUAGE makes running text of Moses tokens. Plain text, a translation
a line, is taken as it is. With the --generated-with FLAGS of fairseq-generate it says how many translations have
as many symbols as --max-len-b allows, and so are perhaps unfinished; where --max-len-a makes the limit depend on
the batch, nothing can be said.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Dict, Iterable, Optional

from corpus_files import write_lines
from moses import detokenize_lines
from script import make_parser, run_script

from fairseq_subword_ext.evaluation.system_output import read_system
from fairseq_subword_ext.textio.files import read_text_lines

_HYPOTHESIS = re.compile(r"H-(\d+)\t[^\t]*\t(.*)", re.DOTALL)


def limit_of(flags: str) -> Optional[int]:
    """How many symbols a translation may have by the flags of fairseq-generate, or by its defaults; None
    where that depends on the batch."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--max-len-a", type=float, default=0)
    parser.add_argument("--max-len-b", type=int, default=200)
    found, _ = parser.parse_known_args(flags.split())
    return None if found.max_len_a else found.max_len_b


def at_limit(lines: Iterable[str], limit: int) -> int:
    """How many translations have so many symbols, the best one of each sentence."""
    best: Dict[str, str] = {}
    for line in lines:
        found = _HYPOTHESIS.fullmatch(line)
        if found is not None:
            best.setdefault(found[1], found[2])
    return sum(len(symbols.split()) >= limit for symbols in best.values())


def report_length(path: Path, limit: int) -> None:
    """Prints how many translations may be unfinished, where there are such."""
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
    parser.add_argument("--detokenize", metavar="LANGUAGE")
    parser.add_argument("--generated-with", metavar="FLAGS", help="of fairseq-generate")
    parser.add_argument("--workers", type=int, help="number of detokenizing processes")
    return run_script(parser, run)


def run(args: argparse.Namespace) -> None:
    lines = [line for path in args.outputs for line in read_system(str(path)).lines]
    if args.detokenize:
        lines = detokenize_lines(lines, args.detokenize, args.workers)
    write_lines(args.output, lines)
    limit = None if args.generated_with is None else limit_of(args.generated_with)
    if limit is not None:
        for path in args.outputs:
            report_length(path, limit)


if __name__ == "__main__":
    sys.exit(main())
