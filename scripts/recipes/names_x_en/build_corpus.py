"""Builds a corpus of names and phrases in many languages and in English.

Writes to the output folder SPLIT.xx-en.xx and SPLIT.xx-en.en for the splits train, valid, test and
test_seen, transfer/SPLIT.si-en.* for the language that the parent model never sees, and corpus.json
(versions, settings, counts and the SHA-256 of each file). corpus.json is written last, so its presence
means that the corpus is complete. The same versions of pycountry and Babel give the same bytes.
"""

import argparse
import hashlib
import json
import sys
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from recipes.names_x_en.checks import SINHALA, check_parent, check_transfer, read_pairs
from recipes.names_x_en.sources import (
    Pair,
    choose_languages,
    cldr_languages,
    default_catalogues,
    read_names,
    script_of,
)
from recipes.names_x_en.splits import Corpus, Sizes, split_parent, split_transfer

from fairseq_subword_ext.textio.files import atomic_text_writer
from fairseq_subword_ext.textio.tables import text_lines

# `--rank` prints how this list was chosen (pycountry 26.2.16, Babel 2.19.0): for each script with a
# language of at least 2,000 pairs, the language with the most pairs, then the remaining languages with
# the most pairs. It is fixed so that new releases of the packages do not silently change the corpus.
# fmt: off
LANGUAGES = (
    "ar", "ba", "be", "bn", "de", "el", "eo", "fr", "ga", "gu", "he", "hi",
    "hu", "it", "ja", "ka", "kn", "ko", "lo", "lt", "ml", "mr", "nl", "or",
    "pa", "pl", "ro", "ru", "sr", "ta", "th", "tr", "uk", "zh",
)
# fmt: on
LANGUAGES_COUNT = 34
ENOUGH_PAIRS = 2000
TRANSFER_LANGUAGE = "si"
SPLITS = ("train", "valid", "test", "test_seen")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=Path, help="output folder; created if missing")
    parser.add_argument(
        "--languages",
        type=lambda text: tuple(text.split(",")),
        default=LANGUAGES,
        help="codes of the parent's languages, separated by commas (default: the 34 of the recipe)",
    )
    parser.add_argument(
        "--catalogues", type=Path, help="folder of gettext catalogues (default: pycountry's)"
    )
    parser.add_argument("--no-cldr", action="store_true", help="leave out Babel's names")
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of the split (default: %(default)s)"
    )
    parser.add_argument(
        "--lines",
        type=int,
        metavar="N",
        help="keep only the first N pairs of each set, for a trial",
    )
    sizes = Sizes()
    for name, of_what in (
        ("test-share", "share of the English names held out for test"),
        ("valid-share", "share of the English names held out for valid"),
        ("test-lines", "maximum number of lines per language in test"),
        ("valid-lines", "maximum number of lines per language in valid"),
        ("seen-lines", "maximum number of lines per language in test_seen"),
    ):
        default = getattr(sizes, name.replace("-", "_"))
        parser.add_argument(
            f"--{name}", type=type(default), default=default, help=f"{of_what} (default: {default})"
        )
    parser.add_argument(
        "--rank", action="store_true", help="print all languages by number of pairs, and exit"
    )
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.out is None and not args.rank:
        parser.error("the following arguments are required: --out")
    try:
        if args.catalogues is None:
            args.catalogues = default_catalogues()
        elif not args.catalogues.is_dir():
            raise ValueError(f"--catalogues {args.catalogues}: no such folder")
        print_ranking(args) if args.rank else build(args)
    except (ValueError, OSError, ImportError) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return 1
    return 0


def build(args: argparse.Namespace) -> None:
    """Reads and splits the names, writes the corpus, reads it back, checks it, and prints the tables."""
    sizes = Sizes(
        args.test_share, args.valid_share, args.test_lines, args.valid_lines, args.seen_lines
    )
    dropped: Counter = Counter()
    names = read_parent_names(args, dropped)
    transfer_names = read_names(
        args.catalogues, TRANSFER_LANGUAGE, dropped, with_cldr=not args.no_cldr
    )
    transfer_folder = args.out / "transfer"
    transfer_folder.mkdir(parents=True, exist_ok=True)
    forget_previous(args.out)
    parent = split_parent(names, sizes, args.seed)
    transfer = split_transfer(TRANSFER_LANGUAGE, transfer_names, args.seed)
    files = write_corpus(args.out, parent) + write_corpus(transfer_folder, transfer)

    parent, transfer = read_corpus(args.out, parent), read_corpus(transfer_folder, transfer)
    findings = check_parent(parent) + check_transfer(transfer, TRANSFER_LANGUAGE)
    print_table(parent)
    print_table(transfer)
    print_lengths({"parent": parent, "transfer": transfer})
    found = sum(len(pairs) for pairs in names.values()) + len(transfer_names)
    placed = sum(len(p) for part in (parent, transfer) for s in part.values() for p in s.values())
    for reason, count in sorted(dropped.items()):
        print(f"dropped, {reason}: {count}")
    print(f"held out, but over the line limits of test and valid: {found - placed}")
    print("\n".join(findings))
    if args.lines:
        shorten(args.out, args.lines)
    write_record(args, parent, transfer, files)


def read_parent_names(args: argparse.Namespace, dropped: Counter) -> Dict[str, List[Pair]]:
    """Reads the names of the parent's languages, without any in the transfer language's script.

    Raises:
        ValueError: If a language has no names, or the transfer language is among them.
    """
    names = {}
    for language in sorted(set(args.languages)):
        if language == TRANSFER_LANGUAGE:
            raise ValueError(f"--languages: {language} is reserved for transfer")
        pairs = read_names(args.catalogues, language, dropped, with_cldr=not args.no_cldr)
        names[language] = [pair for pair in pairs if not SINHALA.search("".join(pair))]
        dropped["letters of the transfer language"] += len(pairs) - len(names[language])
        if not names[language]:
            raise ValueError(
                f"--languages: no names for {language!r}; --rank lists the available languages"
            )
    return names


def forget_previous(folder: Path) -> None:
    """Removes the files of an earlier run, as listed in its record, so that no language of it is left.

    Raises:
        ValueError: If the record cannot be read.
    """
    path = folder / "corpus.json"
    if not path.exists():
        return
    try:
        names = list(json.loads(path.read_text(encoding="utf-8"))["sha256"])
    except (ValueError, LookupError, TypeError) as error:
        raise ValueError(
            f"{path}: not a record of this script ({error!r}); give another --out or remove it"
        ) from error
    for name in names:
        # Never delete outside this folder and transfer/, whatever the record says.
        if Path(name).parent in (Path(), Path("transfer")) and "-en." in name:
            (folder / name).unlink(missing_ok=True)
    path.unlink()


def write_corpus(folder: Path, corpus: Corpus) -> List[Path]:
    """Writes two files per split and language, and returns their paths."""
    paths = []
    for split, languages in corpus.items():
        for language, pairs in languages.items():
            for side, suffix in enumerate((language, "en")):
                path = folder / f"{split}.{language}-en.{suffix}"
                with atomic_text_writer(path) as stream:
                    stream.writelines(pair[side] + "\n" for pair in pairs)
                paths.append(path)
    return paths


def shorten(folder: Path, lines: int) -> None:
    """Keeps the first pairs of each of the parent's sets; every file is in a random order."""
    for path in folder.glob("*-en.*"):
        kept = path.read_text(encoding="utf-8").split("\n")[:lines]
        with atomic_text_writer(path) as stream:
            stream.writelines(f"{line}\n" for line in kept if line)


def read_corpus(folder: Path, corpus: Corpus) -> Corpus:
    """Reads the files of :func:`write_corpus` back."""
    return {
        split: {language: read_pairs(folder, split, language) for language in languages}
        for split, languages in corpus.items()
    }


def write_record(args, parent: Corpus, transfer: Corpus, files: List[Path]) -> None:
    """Writes corpus.json, which marks the corpus as complete and allows comparing two corpora."""
    record = {
        "versions": {name: metadata.version(name) for name in installed_packages()},
        "settings": {
            name: getattr(args, name)
            for name in ("seed", "test_share", "valid_share", "test_lines", "valid_lines")
            + ("seen_lines", "no_cldr")
        },
        "languages": sorted(parent["train"]),
        "pairs": {
            name: {split: count_pairs(languages) for split, languages in part.items()}
            for name, part in (("parent", parent), ("transfer", transfer))
        },
        "sha256": {
            path.relative_to(args.out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(files)
        },
    }
    with atomic_text_writer(args.out / "corpus.json") as stream:
        json.dump(record, stream, indent=1, sort_keys=True)
        stream.write("\n")


def installed_packages() -> List[str]:
    """The installed packages among those that the names come from."""
    return [name for name in ("pycountry", "Babel") if any(metadata.distributions(name=name))]


def count_pairs(languages: Dict[str, List[Pair]]) -> int:
    return sum(len(pairs) for pairs in languages.values())


def print_table(corpus: Corpus) -> None:
    """Prints the numbers of pairs and whitespace-separated tokens of each language."""
    columns = [*corpus, "tokens", "tokens en"]
    table = [["language", "script", *columns]]
    totals: Counter = Counter()
    for language in sorted(corpus["train"]):
        pairs = [pair for split in corpus.values() for pair in split[language]]
        counts = {split: len(languages[language]) for split, languages in corpus.items()}
        counts["tokens"] = sum(len(pair.source.split()) for pair in pairs)
        counts["tokens en"] = sum(len(pair.english.split()) for pair in pairs)
        totals.update(counts)
        script = script_of(pair.source for pair in pairs)
        table.append([language, script, *map(str, counts.values())])
    table.append(["all", "", *(str(totals[column]) for column in columns)])
    print("\n".join([*text_lines(table, left=[True, True, *[False] * len(columns)]), ""]))


def print_lengths(parts: Dict[str, Corpus]) -> None:
    """Prints the lengths of lines in UTF-8 bytes, the symbols of a byte-level model."""
    print("bytes per line: half, 90 %, 99 % and all of the lines have at most")
    for name, corpus in parts.items():
        for side, label in enumerate(("source", "English")):
            lengths = sorted(
                len(pair[side].encode())
                for languages in corpus.values()
                for pairs in languages.values()
                for pair in pairs
            )
            if lengths:
                marks = [lengths[int((len(lengths) - 1) * share)] for share in (0.5, 0.9, 0.99, 1)]
                print(f"  {name}, {label}:", *marks)
    print()


def print_ranking(args: argparse.Namespace) -> None:
    """Prints every language with its script and number of pairs, and marks the chosen ones."""
    candidates = {folder.name for folder in args.catalogues.iterdir() if folder.is_dir()}
    candidates = {name.partition("_")[0].partition("@")[0] for name in candidates}
    if not args.no_cldr:
        candidates.update(cldr_languages())
    pairs, scripts = {}, {}
    for language in sorted(candidates - {"en", TRANSFER_LANGUAGE}):
        names = read_names(args.catalogues, language, with_cldr=not args.no_cldr)
        pairs[language] = len(names)
        scripts[language] = script_of(pair.source for pair in names)
    chosen = choose_languages(pairs, scripts, LANGUAGES_COUNT, ENOUGH_PAIRS)
    for rank, language in enumerate(sorted(pairs, key=lambda code: (-pairs[code], code)), start=1):
        mark = "chosen" if language in chosen else ""
        print(
            f"{rank:>4} {language:<8} {scripts[language]:<12} {pairs[language]:>7} {mark}".rstrip()
        )
    total = sum(pairs[language] for language in chosen)
    print(f"{len(chosen)} languages, {total} pairs: {','.join(chosen)}")
