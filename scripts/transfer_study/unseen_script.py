#!/usr/bin/env python3
"""Makes sure that a parent model never sees a character of the child language's script.

`select` copies the parents' pairs without those that hold such a character in either side, and
counts what it leaves out. `check` reads finished files again, as a training run or a learner will,
and fails where one of them holds such a character after all. `count` says what the child has of them.
"""

import argparse
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import List, Optional, Pattern, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recipes.engine.script import run_script
from recipes.text.corpus_files import (
    find_languages,
    paths_of,
    read_lines,
    read_pairs,
    write_pairs,
)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--characters",
        default="0D80-0DFF",
        help="first and last code point of the child's script (default: %(default)s, Sinhala)",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    select = commands.add_parser("select", help="copy the parents' pairs that hold none")
    select.add_argument(
        "--corpus", type=Path, required=True, help="folder with SPLIT.xx-en.xx, .en"
    )
    select.add_argument("--child", required=True, help="the language that is left out, e.g. si")
    select.add_argument(
        "--parents", help="languages, separated by commas (default: all but the child)"
    )
    select.add_argument("--splits", default="train,valid", help="(default: %(default)s)")
    select.add_argument(
        "--lines", type=int, help="draw so many pairs of each language and split (default: all)"
    )
    select.add_argument("--seed", type=int, default=1, help="of the draw (default: %(default)s)")
    select.add_argument("--out", type=Path, required=True, help="output folder")
    check = commands.add_parser("check", help="fail where a file holds one")
    check.add_argument("--what", required=True, help="what the files are, for the line printed")
    check.add_argument("files", type=Path, nargs="+")
    count = commands.add_parser("count", help="count the different ones in files")
    count.add_argument("--expected", help="the figure of a paper, printed beside it")
    count.add_argument("files", type=Path, nargs="+")
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    return run_script(build_parser(), run, argv)


def run(args: argparse.Namespace) -> None:
    script = script_pattern(args.characters)
    {"select": select, "check": check, "count": count}[args.command](args, script)


def script_pattern(characters: str) -> Pattern[str]:
    """Matches one character of the range ``FIRST-LAST``, both in hexadecimal.

    Raises:
        ValueError: If it is anything else.
    """
    match = re.fullmatch(r"([0-9A-Fa-f]{2,6})-([0-9A-Fa-f]{2,6})", characters)
    if match is None or int(match[1], 16) > int(match[2], 16):
        raise ValueError(f"--characters: expected FIRST-LAST, e.g. 0D80-0DFF, found {characters}")
    first, last = (re.escape(chr(int(code, 16))) for code in match.groups())
    return re.compile(f"[{first}-{last}]")


def select(args: argparse.Namespace, script: Pattern[str]) -> None:
    """Writes each language's pairs without the child's script, and prints what was left out."""
    splits = args.splits.split(",")
    languages = parent_languages(args.corpus, splits[0], args.child, args.parents)
    args.out.mkdir(parents=True, exist_ok=True)
    for split in splits:
        kept = removed = 0
        for language in languages:
            pairs = read_pairs(args.corpus, split, language)
            clean = [pair for pair in pairs if not any(map(script.search, pair))]
            removed += len(pairs) - len(clean)
            if args.lines is not None and args.lines < len(clean):
                clean = random.Random(f"{args.seed} {split} {language}").sample(clean, args.lines)
            kept += len(clean)
            write_pairs(args.out, split, language, clean)
        print(
            f"{split}: {kept:,} pairs of {len(languages)} languages into English; left out for a "
            f"character of {args.characters}: {removed:,}"
        )
    print(f"languages: {','.join(languages)}")
    report_common_english(args, splits[0], languages)


def parent_languages(corpus: Path, split: str, child: str, asked: Optional[str]) -> List[str]:
    """The languages to train on, in alphabetical order.

    Raises:
        ValueError: If the child is among those asked for, or one of them is not there.
    """
    found = find_languages(corpus, split)
    if asked is None:
        return [language for language in found if language != child]
    languages = sorted(set(asked.split(",")))
    if child in languages:
        raise ValueError(f"--parents holds the child language, {child}: leave it out")
    missing = [language for language in languages if language not in found]
    if missing:
        raise ValueError(f"--parents: {corpus} has no {split} set of {', '.join(missing)}")
    return languages


def report_common_english(args: argparse.Namespace, split: str, languages: List[str]) -> None:
    """Prints how many of the child's English lines the parent is trained on, in other languages."""
    seen = {
        line
        for language in languages
        for line in read_lines(paths_of(args.out, split, language)[1])
    }
    for part in ("train", "valid", "test"):
        path = paths_of(args.corpus, part, args.child)[1]
        if path.exists():
            lines = read_lines(path)
            common = sum(line in seen for line in lines)
            print(
                f"English lines of {path.name} that the parent's training holds: {common:,} of "
                f"{len(lines):,}"
            )


def check(args: argparse.Namespace, script: Pattern[str]) -> None:
    """Prints that no file holds a character of the script.

    Raises:
        ValueError: naming the first line that does.
    """
    characters = 0
    for path in args.files:
        for number, line in enumerate(read_lines(path), start=1):
            characters += len(line)
            found = script.search(line)
            if found is not None:
                raise ValueError(
                    f"{path}, line {number}: U+{ord(found[0]):04X}, a character of the child's "
                    "script; the parent must not see it"
                )
    print(
        f"characters of {args.characters} in {args.what}: 0 (read {characters:,} characters in "
        f"{len(args.files)} files)"
    )


def count(args: argparse.Namespace, script: Pattern[str]) -> None:
    """Prints how many different characters of the script the files hold, and how often they occur."""
    found: Counter = Counter()
    for path in args.files:
        for line in read_lines(path):
            found.update(script.findall(line))
    names = ", ".join(path.name for path in args.files)
    expected = f" (paper: {args.expected})" if args.expected else ""
    print(
        f"different characters of {args.characters} in {names}: {len(found)}{expected}, "
        f"{sum(found.values()):,} in all"
    )


if __name__ == "__main__":
    sys.exit(main())
