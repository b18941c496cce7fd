"""Builds a corpus of names and phrases in many languages and in English, from the packages pycountry and Babel.

Writes to the output folder SPLIT.xx-en.xx and SPLIT.xx-en.en for the splits train, valid, test and
test_seen, transfer/SPLIT.si-en.* for the language that the parent model never sees, and corpus.json
(versions and counts), which comes last. The same versions of pycountry and Babel give the same bytes.
"""

import argparse
import json
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Dict, List

from recipes.engine.recipe import option
from recipes.names_x_en.checks import SINHALA, check_parent, check_transfer
from recipes.names_x_en.sources import Pair, read_names
from recipes.names_x_en.splits import Corpus, Sizes, split_parent, split_transfer
from recipes.text.corpus_files import read_pairs, write_pairs

from fairseq_subword_ext.textio.files import atomic_text_writer
from fairseq_subword_ext.textio.tables import text_lines

# For each script with a language of at least 2,000 pairs, the language with the most pairs, then the remaining
# languages with the most pairs (pycountry 26.2.16, Babel 2.19.0). The list is fixed so that new releases of the
# packages do not silently change the corpus.
# fmt: off
LANGUAGES = (
    "ar", "ba", "be", "bn", "de", "el", "eo", "fr", "ga", "gu", "he", "hi",
    "hu", "it", "ja", "ka", "kn", "ko", "lo", "lt", "ml", "mr", "nl", "or",
    "pa", "pl", "ro", "ru", "sr", "ta", "th", "tr", "uk", "zh",
)
# fmt: on
TRANSFER_LANGUAGE = "si"
SPLITS = ("train", "valid", "test", "test_seen")
DRAWING = 1  # the seed of the split
OPTIONS = (
    option("--catalogues", "folder of gettext catalogues, in place of both packages' names", type=Path, metavar="DIR"),
    *(
        option(f"--{name.replace('_', '-')}", what, type=type(default), default=default)
        for name, what, default in (
            ("test_share", "share of the English names held out for test", Sizes.test_share),
            ("valid_share", "share of the English names held out for valid", Sizes.valid_share),
            ("test_lines", "maximum number of lines per language in test", Sizes.test_lines),
            ("valid_lines", "maximum number of lines per language in valid", Sizes.valid_lines),
            ("seen_lines", "maximum number of lines per language in test_seen", Sizes.seen_lines),
        )
    ),
)  # fmt: skip


def build(args: argparse.Namespace) -> None:
    """Reads and splits the names, writes the corpus, reads it back, checks it, and prints the tables."""
    sizes = Sizes(
        args.test_share, args.valid_share, args.test_lines, args.valid_lines, args.seen_lines
    )
    dropped: Counter = Counter()
    names = read_parent_names(args, dropped)
    transfer_names = read_names(args.catalogues, TRANSFER_LANGUAGE, dropped)
    parts = {
        args.out: split_parent(names, sizes, DRAWING),
        args.out / "transfer": split_transfer(TRANSFER_LANGUAGE, transfer_names, DRAWING),
    }
    for folder, corpus in parts.items():
        folder.mkdir(exist_ok=True)
        for split, languages in corpus.items():
            for language, pairs in languages.items():
                write_pairs(folder, split, language, pairs)
                languages[language] = [Pair(*pair) for pair in read_pairs(folder, split, language)]
    parent, transfer = parts.values()
    findings = check_parent(parent) + check_transfer(transfer, TRANSFER_LANGUAGE)
    print_table(parent)
    print_table(transfer)
    found = sum(len(pairs) for pairs in names.values()) + len(transfer_names)
    placed = sum(len(p) for part in parts.values() for s in part.values() for p in s.values())
    for reason, count in sorted(dropped.items()):
        print(f"dropped, {reason}: {count}")
    print(f"held out, but over the line limits of test and valid: {found - placed}")
    print("\n".join(findings))
    if args.lines:  # every file is in a random order
        for split, languages in parent.items():
            for language, pairs in languages.items():
                write_pairs(args.out, split, language, pairs[: args.lines])
    record = {
        "versions": {
            name: metadata.version(name)
            for name in ("pycountry", "Babel")
            if any(metadata.distributions(name=name))
        },
        "languages": sorted(names),
        "pairs": {
            name: {split: sum(map(len, languages.values())) for split, languages in part.items()}
            for name, part in (("parent", parent), ("transfer", transfer))
        },
    }
    with atomic_text_writer(args.out / "corpus.json") as stream:
        stream.write(json.dumps(record, indent=1) + "\n")


def read_parent_names(args: argparse.Namespace, dropped: Counter) -> Dict[str, List[Pair]]:
    """Reads the names of the parent's languages, without any in the transfer language's script.

    Raises:
        ValueError: If a language has no names, or the transfer language is among them.
    """
    names = {}
    for language in sorted(set(args.languages or LANGUAGES)):
        if language == TRANSFER_LANGUAGE:
            raise ValueError(f"--languages: {language} is reserved for transfer")
        pairs = read_names(args.catalogues, language, dropped)
        names[language] = [pair for pair in pairs if not SINHALA.search("".join(pair))]
        dropped["letters of the transfer language"] += len(pairs) - len(names[language])
        if not names[language]:
            raise ValueError(f"--languages: no names for {language!r}")
    return names


def print_table(corpus: Corpus) -> None:
    """Prints the numbers of pairs and whitespace-separated tokens of each language."""
    columns = [*corpus, "tokens", "tokens en"]
    table = [["language", *columns]]
    totals: Counter = Counter()
    for language in sorted(corpus["train"]):
        pairs = [pair for split in corpus.values() for pair in split[language]]
        counts = {split: len(languages[language]) for split, languages in corpus.items()}
        counts["tokens"] = sum(len(pair.source.split()) for pair in pairs)
        counts["tokens en"] = sum(len(pair.english.split()) for pair in pairs)
        totals.update(counts)
        table.append([language, *map(str, counts.values())])
    table.append(["all", *(str(totals[column]) for column in columns)])
    print("\n".join([*text_lines(table), ""]))
