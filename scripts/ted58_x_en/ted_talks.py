#!/usr/bin/env python3
"""Reads the tables of TED talks (Qi et al. 2018) and writes each language beside English.

    ted_talks.py --talks DIR --out DIR [--languages ar,de] [--train-lines N]

DIR holds all_talks_train.tsv, all_talks_dev.tsv and all_talks_test.tsv: a header with talk_name and a
code for each language, then a sentence a row. Cells are separated by tabs, without quoting; one that is
missing is empty or says __NULL__ (_ _ NULL _ _ where a tokenizer has been over it). The text is tokenized
as Moses does it, and stays so.

"calv" is left out: it is no language's code, and without it they are the paper's 58.
"""

import argparse
import shutil
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "recipes"))
from corpus_files import paths_of
from script import make_parser, run_script

from fairseq_subword_ext.textio.tables import text_lines

FILES = {"train": "all_talks_train.tsv", "valid": "all_talks_dev.tsv", "test": "all_talks_test.tsv"}
TALK = "talk_name"
ENGLISH = "en"
NO_LANGUAGES = ("calv",)
MISSING = ("__NULL__", "_ _ NULL _ _")


def build_parser() -> argparse.ArgumentParser:
    parser = make_parser(__doc__)
    parser.add_argument("--talks", type=Path, required=True, help="folder with the three tables")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--languages", help="only these, separated by commas (default: all but calv)"
    )
    parser.add_argument("--train-lines", type=int, help="only the first N training pairs of each")
    return parser


def main() -> int:
    return run_script(build_parser(), build)


def build(args: argparse.Namespace) -> None:
    """Writes all splits, and prints how many pairs each language has and what was left out."""
    # What is written here is complete or gone, and no language of an earlier run stays behind.
    unfinished = args.out.with_name(f".{args.out.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    counts = {}
    for split, name in FILES.items():
        limit = args.train_lines if split == "train" else None
        counts[split] = write_split(args.talks / name, unfinished, split, args.languages, limit)
    languages = [key for key in sorted(counts["train"]) if not key.startswith("*")]
    rows = [
        [language, *(str(counts[split][language]) for split in FILES)] for language in languages
    ]
    totals = (sum(counts[split][language] for language in languages) for split in FILES)
    print("\n".join(text_lines([["language", *FILES], *rows, ["all", *map(str, totals)]])))
    for what in sorted({key for split in counts.values() for key in split if key.startswith("*")}):
        print(f"{what[1:]}: {sum(split[what] for split in counts.values())}")
    shutil.rmtree(args.out, ignore_errors=True)
    unfinished.rename(args.out)


def write_split(
    path: Path, folder: Path, split: str, wanted: Optional[str], limit: Optional[int]
) -> Counter:
    """Writes the pairs of one table.

    Returns:
        Pairs by language, and, after a *, what else happened.
    """
    counts: Counter = Counter()
    with ExitStack() as stack:
        files: Dict[str, Sequence] = {}
        for row in read_rows(path):
            english = clean(row[ENGLISH], counts)
            if not files:
                for language in chosen(path, row, wanted):
                    pair = paths_of(folder, split, code(language))
                    files[language] = [
                        stack.enter_context(side.open("w", encoding="utf-8", newline="\n"))
                        for side in pair
                    ]
            if english is None:
                counts["*rows without English"] += 1
                continue
            for language, (source_file, english_file) in files.items():
                source = clean(row[language], counts)
                if source is None or (limit is not None and counts[code(language)] >= limit):
                    continue
                source_file.write(f"{source}\n")
                english_file.write(f"{english}\n")
                counts[code(language)] += 1
    if not files:
        raise ValueError(f"{path}: a header and no rows")
    return counts


def read_rows(path: Path) -> Iterator[Dict[str, str]]:
    """Yields the rows of a table, cells by the names in its header.

    Raises:
        ValueError: With path and line, for a file that is not such a table.
        OSError: If it cannot be read.
    """
    header: List[str] = []
    with path.open("rb") as stream:  # only \n ends a line, whatever else the text holds
        for number, line in enumerate(stream, start=1):
            try:
                cells = line.decode("utf-8").rstrip("\r\n").split("\t")
            except UnicodeDecodeError as error:
                raise ValueError(f"{path}:{number}: not UTF-8 ({error})") from error
            if not header:
                header = cells
                if header[0] != TALK or ENGLISH not in header or len(set(header)) != len(header):
                    raise ValueError(
                        f"{path}:1: expected a header with {TALK}, {ENGLISH} and other languages by "
                        f"tabs, found {line[:80]!r}"
                    )
            elif len(cells) != len(header):
                raise ValueError(
                    f"{path}:{number}: {len(cells)} cells, the header has {len(header)}: the file is "
                    "truncated or damaged; fetch it again"
                )
            else:
                yield dict(zip(header, cells))


def clean(cell: str, counts: Counter) -> Optional[str]:
    """The text of a cell without space at its ends; None where it is missing.

    A carriage return, at which readers would cut the line, becomes a space.
    """
    if any(mark in cell for mark in MISSING):
        return None
    if "\r" in cell:
        counts["*cells with a carriage return, now a space"] += 1
        cell = cell.replace("\r", " ")
    return cell.strip(" ") or None


def code(column: str) -> str:
    """The language's code in file names, where "-" stands between source and target: pt-br is pt_br."""
    return column.lower().replace("-", "_")


def chosen(path: Path, row: Dict[str, str], wanted: Optional[str]) -> List[str]:
    """The columns to write.

    Raises:
        ValueError: If a language is missing.
    """
    columns = [name for name in row if name not in (TALK, ENGLISH, *NO_LANGUAGES)]
    if wanted is None:
        return columns
    by_code = {code(name): name for name in columns}
    codes = [code(name) for name in wanted.split(",")]
    missing = [name for name in codes if name not in by_code]
    if missing:
        raise ValueError(f"{path}: no column for {', '.join(missing)}; it has {', '.join(by_code)}")
    return [by_code[name] for name in dict.fromkeys(codes)]


if __name__ == "__main__":
    sys.exit(main())
