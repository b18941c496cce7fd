#!/usr/bin/env python3
"""Copies a corpus of many languages into a run's folder: all of it, or a part, and prints its size.

    copy_corpus.py --corpus DIR --out DIR [--languages a,b] [--train-lines N]

Both sides are read, so that different numbers of lines and broken text show here.
"""

import argparse
import shutil
import sys
from pathlib import Path

from corpus_files import find_languages, paths_of, read_pairs, write_pairs
from script import make_parser, run_script

from fairseq_subword_ext.textio.tables import text_lines


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--languages", help="only these, separated by commas (default: all in the folder)"
    )
    parser.add_argument("--splits", default="train,valid,test", help="default: %(default)s")
    parser.add_argument("--train-lines", type=int, help="only the first N lines of the first split")
    return run_script(parser, copy)


def copy(args: argparse.Namespace) -> None:
    """Copies, and prints the pairs of each language in each split."""
    splits = args.splits.split(",")
    languages = find_languages(args.corpus, splits[0])
    if args.languages:
        wanted = args.languages.split(",")
        missing = sorted(set(wanted) - set(languages))
        if missing:
            raise ValueError(
                f"--languages: no {', '.join(missing)} in {args.corpus}; it has {', '.join(languages)}"
            )
        languages = sorted(set(wanted))
    # What is written here is complete or gone, and no language of an earlier run stays behind.
    unfinished = args.out.with_name(f".{args.out.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    table = [["language", *splits]]
    totals = [0] * len(splits)
    for language in languages:
        counts = []
        for split in splits:
            pairs = []
            if any(path.exists() for path in paths_of(args.corpus, split, language)):
                pairs = read_pairs(args.corpus, split, language)
                if split == splits[0]:
                    pairs = pairs[: args.train_lines]
                write_pairs(unfinished, split, language, pairs)
            counts.append(len(pairs))
        totals = [total + count for total, count in zip(totals, counts)]
        table.append([language, *map(str, counts)])
    print("\n".join(text_lines([*table, ["all", *map(str, totals)]])))
    shutil.rmtree(args.out, ignore_errors=True)
    unfinished.rename(args.out)


if __name__ == "__main__":
    sys.exit(main())
