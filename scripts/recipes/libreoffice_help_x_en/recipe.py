"""Aligns LibreOffice's offline help in many languages with the English one, by page and id.

    python -m recipes.engine.corpus libreoffice_help_x_en --raw DIR... --out DIR [--languages de,hi] [--lines N]

Writes SPLIT.xx-en.xx and SPLIT.xx-en.en for the splits train, valid and test, and prints what was found and what was
dropped, and why. Whole pages belong to one split, by a hash of their names, the same in all languages. Pages share many
sentences, so valid and test have no sentence whose English is on any page of train, and valid none of test.
"""

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Dict, Iterable, List, Mapping, NamedTuple, Sequence, Set, Tuple

from recipes.engine.commands import Command
from recipes.engine.run import Run
from recipes.engine.systems import System
from recipes.engine.tables import Shown, results_table
from recipes.engine.x_en import XEnRecipe
from recipes.libreoffice_help_x_en.help_pages import HelpFolder, Page, find_help, read_pages
from recipes.text.corpus_files import Pair, write_pairs
from recipes.text.drawing import fraction

from fairseq_subword_ext.textio.tables import Table, text_lines

SPLITS = ("train", "valid", "test")
SHARES = {"test": 0.025, "valid": 0.025}  # of the pages
DRAWING = 1  # the seed of the split
ENGLISH = "en"


class LibreOfficeHelp(XEnRecipe):
    """Help pages, for a first look at many languages without registering anywhere."""

    name = "libreoffice_help_x_en"
    title = "LibreOffice's help in many languages into English"
    paper = "none: for a first look"
    size = "up to 31 languages of 5K to 34K pairs"
    needs = "--languages (Debian's packages) or --raw DIR"

    def check(self, run: Run, systems: Sequence[System]) -> None:
        if not run.raw and not run.languages:
            raise ValueError(
                "give --languages, such as --languages de,dz,hi,ja: one package is fetched for each; or --raw"
            )

    def fetch(self, run: Run, *_) -> List[Command]:
        packages = [name.replace("_", "-") for name in run.languages]
        return [] if run.raw else super().fetch(run, languages=packages)

    def raw_folders(self, run: Run) -> List[Path]:
        return [run.downloads]

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        shown = [Shown(metric, "all", metric) for metric in ("BLEU", "chrF")]
        return [
            self.segmentations(run, systems),
            results_table(run, systems, f"{self.title}: all languages", shown),
        ]


RECIPE = LibreOfficeHelp()


class Aligned(NamedTuple):
    """One language's pairs.

    Attributes:
        pairs: of each split, each once, in a fixed random order.
        counts: pages, and pairs that were dropped, by reason.
    """

    pairs: Dict[str, List[Pair]]
    counts: Counter


def build(args: argparse.Namespace, shares: Mapping[str, float] = SHARES) -> None:
    """Reads English, then aligns each language with it, writes, and prints the table.

    Raises:
        ValueError: If a language is missing, or there is only English.
    """
    folders = {folder.language: folder for folder in find_help(args.raw)}
    english = dict(read_pages(folder_of(ENGLISH, folders)))
    wanted = [name.replace("-", "_") for name in args.languages]
    sources = [folder_of(name, folders) for name in wanted or folders if name != ENGLISH]
    if not sources:
        raise ValueError("no language but English: there is nothing to align")
    splits = {page: split_of(page, shares, DRAWING) for page in english}
    kept = allowed(english, splits)
    print(
        f"English: {len(english)} pages, {sum(map(len, english.values()))} headings and paragraphs"
    )
    table = {}
    work = partial(align, english=english, splits=splits, allowed=kept, seed=DRAWING)
    with ProcessPoolExecutor(max(1, min(args.workers or 1, len(sources)))) as pool:
        for folder, aligned in zip(sources, pool.map(work, sources)):
            for split in SPLITS:
                pairs = aligned.pairs[split][: args.lines if split == "train" else None]
                aligned.counts[split] = write_pairs(args.out, split, folder.language, pairs)
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


def split_of(page: str, shares: Mapping[str, float], seed: int) -> str:
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
