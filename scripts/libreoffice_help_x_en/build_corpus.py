#!/usr/bin/env python3
"""Aligns LibreOffice's offline help in many languages with the English one, by page and id.

    build_corpus.py HELP_FOLDER... --out DIR [--languages de,hi] [--workers N]

Writes SPLIT.xx-en.xx and SPLIT.xx-en.en for the splits train, valid and test, and prints what was
found and what was dropped, and why. Pages go to one split as a whole, by a hash of their names, in
all languages alike. Pages share many sentences, so of valid and test those are left out that any
page of train has in English, and of valid those that test has.
"""

import argparse
import hashlib
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Dict, Iterable, List, NamedTuple, Set, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "recipes"))
from corpus_files import Pair, write_pairs
from help_pages import HelpFolder, Page, find_help, read_pages
from script import make_parser, run_script

from fairseq_subword_ext.textio.tables import text_lines

SPLITS = ("train", "valid", "test")
ENGLISH = "en"


class Aligned(NamedTuple):
    """One language's pairs.

    Attributes:
        pairs: of each split, each once, in a fixed random order.
        counts: pages, and pairs by what became of them.
    """

    pairs: Dict[str, List[Pair]]
    counts: Counter


def build_parser() -> argparse.ArgumentParser:
    parser = make_parser(__doc__)
    parser.add_argument(
        "folders", nargs="+", type=Path, help="folders with help pages, including English"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--languages", help="only these, separated by commas (default: all that are found)"
    )
    parser.add_argument("--test-share", type=float, default=0.025, help="share of the pages")
    parser.add_argument("--valid-share", type=float, default=0.025, help="share of the pages")
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of the split (default: %(default)s)"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes (default: %(default)s)")
    return parser


def main() -> int:
    return run_script(build_parser(), build)


def build(args: argparse.Namespace) -> None:
    """Reads English, then aligns each language with it, writes, and prints the table."""
    folders = {folder.language: folder for folder in find_help(args.folders)}
    english = dict(read_pages(folder_of(ENGLISH, folders)))
    wanted = (
        [name.replace("-", "_") for name in args.languages.split(",")] if args.languages else []
    )
    sources = [folder_of(name, folders) for name in wanted or folders if name != ENGLISH]
    if not sources:
        raise ValueError("no language but English: there is nothing to align")
    shares = {"test": args.test_share, "valid": args.valid_share}
    splits = {page: split_of(page, shares, args.seed) for page in english}
    kept = allowed(english, splits)
    print(
        f"English: {len(english)} pages, {sum(map(len, english.values()))} headings and paragraphs"
    )
    args.out.mkdir(parents=True, exist_ok=True)
    table = {}
    work = partial(align, english=english, splits=splits, allowed=kept, seed=args.seed)
    with ProcessPoolExecutor(max(1, min(args.workers, len(sources)))) as pool:
        for folder, aligned in zip(sources, pool.map(work, sources)):
            for split in SPLITS:
                write_pairs(args.out, split, folder.language, aligned.pairs[split])
            table[folder.language] = aligned.counts
    print_table(table)


def folder_of(language: str, folders: Dict[str, HelpFolder]) -> HelpFolder:
    """The help in a language.

    Raises:
        ValueError: If there is none.
    """
    if language not in folders:
        package = "en-us" if language == ENGLISH else language.replace("_", "-")
        raise ValueError(
            f"no help in {language}: get libreoffice-help-{package}; found: {', '.join(folders)}"
        )
    return folders[language]


def fraction(seed: int, *parts: str) -> float:
    """A number in [0, 1) that depends on the arguments alone, on every machine."""
    text = "\t".join((str(seed), *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48


def split_of(page: str, shares: Dict[str, float], seed: int) -> str:
    """The split that a page belongs to, in every language and whatever other pages there are."""
    place = fraction(seed, "page", page)
    for split, share in shares.items():
        if place < share:
            return split
        place -= share
    return "train"


def allowed(english: Dict[str, Page], splits: Dict[str, str]) -> Dict[str, Set[str]]:
    """The English sentences that each split may have: no sentence is in two.

    Train keeps all of its own, test what train lacks, valid what both lack. Case does not count: a
    sentence in another case is the same one.
    """
    taken: Set[str] = set()
    kept = {}
    for split in ("train", "test", "valid"):
        own = {
            text.casefold()
            for page, texts in english.items()
            if splits[page] == split
            for text in texts.values()
        }
        kept[split] = own - taken
        taken |= own
    return kept


def align(
    folder: HelpFolder,
    english: Dict[str, Page],
    splits: Dict[str, str],
    allowed: Dict[str, Set[str]],
    seed: int,
) -> Aligned:
    """Pairs a language's texts with the English ones of the same page and id.

    Dropped are pairs whose sides are equal, most of which nobody has translated yet; those of valid
    and test whose English another split has; and repetitions.
    """
    counts: Counter = Counter()
    placed: List[Tuple[float, str, Pair]] = []
    for page, texts in read_pages(folder):
        counts["pages"] += 1
        originals = english.get(page, {})
        for name, text in texts.items():
            if name not in originals:
                counts["not in English"] += 1
            elif text == originals[name]:
                counts["equal"] += 1
            elif originals[name].casefold() not in allowed[splits[page]]:
                counts["in another split"] += 1
            else:
                order = fraction(seed, "order", page, name)
                placed.append((order, splits[page], (text, originals[name])))
    pairs: Dict[str, List[Pair]] = {}
    for split in SPLITS:
        pairs[split] = unique(pair for _, place, pair in sorted(placed) if place == split)
        counts[split] = len(pairs[split])
    counts["repeated"] = len(placed) - sum(map(len, pairs.values()))
    return Aligned(pairs, counts)


def unique(pairs: Iterable[Pair]) -> List[Pair]:
    return list(dict.fromkeys(pairs))


def print_table(table: Dict[str, Counter]) -> None:
    """Prints for each language and over all what was found and what was dropped."""
    columns = ("pages", "not in English", "equal", "in another split", "repeated", *SPLITS)
    total: Counter = Counter()
    for counts in table.values():
        total.update(counts)
    rows = [
        [language, *(str(counts[name]) for name in columns)]
        for language, counts in [*table.items(), ("all", total)]
    ]
    print("\n".join(text_lines([["language", *columns], *rows])))


if __name__ == "__main__":
    sys.exit(main())
