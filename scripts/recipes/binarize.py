#!/usr/bin/env python3
"""Segments a corpus and binarizes it with fairseq-preprocess, all languages with one dictionary.

    binarize.py --corpus DIR --encoder bbpe --codes CODES --out BIN [--splits train,valid,test]

DIR holds SPLIT.xx-en.xx and SPLIT.xx-en.en, of one language xx or of many; BIN gets a folder xx-en for
each. The first split is train, the second valid, all others are test sets (test, test1, ...). A set
that a language lacks is left out.

The dictionary is joint over all languages and both sides: for bytes and byte-level subwords complete
whatever the data, else what the training text holds. --separate gives each side its own one (one
language), --target-codes its own segmentation, --dictionary takes the one of another model.
--lang-tokens adds <lang:xx> of every language, for the task's --source-lang-token.

fairseq-preprocess takes seconds to start, once a language; here its own main function is called in
a loop, with the arguments of the command line that the log shows for the first language.
"""

import argparse
import logging
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Callable, Dict, List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dictionaries import Limits, keep_dictionary, write_dictionaries
from fairseq import options
from fairseq_cli import preprocess
from symbol_counts import count_symbols, print_lengths, print_partial

from fairseq_subword_ext.codecs.registry import ENCODINGS, make_codec, notation_of
from fairseq_subword_ext.subword.dictionary import language_token
from fairseq_subword_ext.textio.files import atomic_writer
from recipes.engine.script import make_parser, run_script
from recipes.text.corpus_files import find_languages, paths_of

Convert = Callable[[Path, Path], int]


def build_parser() -> argparse.ArgumentParser:
    parser = make_parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder for the binarized data")
    parser.add_argument("--encoder", choices=list(ENCODINGS), required=True)
    parser.add_argument("--codes", type=Path, help="for bbpe and generalized_bpe")
    parser.add_argument("--target-codes", type=Path, help="codes for the target side, if different")
    parser.add_argument("--splits", default="train,valid,test", help="default: %(default)s")
    parser.add_argument("--target", default="en", help="the target language (default: %(default)s)")
    parser.add_argument(
        "--languages", help="only these, separated by commas (default: all in the folder)"
    )
    parser.add_argument("--separate", action="store_true", help="one dictionary per side")
    parser.add_argument("--dictionary", type=Path, help="use this dict.txt for both sides")
    parser.add_argument("--threshold", type=int, default=0, help="leave out rarer symbols")
    parser.add_argument(
        "--nwords", type=int, help="maximum number of symbols, including Fairseq's four"
    )
    parser.add_argument(
        "--lang-tokens", action="store_true", help="add <lang:xx> to the dictionary"
    )
    parser.add_argument(
        "--expected-lengths",
        metavar="SOURCE/TARGET",
        help="the paper's symbols per line, to print",
    )
    parser.add_argument(
        "--expected-partial",
        metavar="SHARE",
        help="the paper's %% of symbols with partial characters",
    )
    parser.add_argument("--workers", type=int, default=1, help="processes (default: %(default)s)")
    return parser


def main() -> int:
    logging.getLogger("fairseq_cli.preprocess").setLevel(logging.WARNING)
    return run_script(build_parser(), run)


def run(args: argparse.Namespace) -> None:
    splits = args.splits.split(",")
    languages = languages_of(args)
    check(args, languages)
    converters = {
        "source": converter(args.encoder, args.codes, args.workers),
        "target": converter(args.encoder, args.target_codes or args.codes, args.workers),
    }
    # What is written here is complete or gone: the folder gets its name at the end.
    unfinished = args.out.with_name(f".{args.out.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    segmented = unfinished / "segmented"
    segmented.mkdir(parents=True)
    pairs = {}
    for split in splits:
        pairs[split] = sum(
            segment(args.corpus, segmented, split, language, args.target, converters)
            for language in languages
        )
        print(f"{split}: {pairs[split]} pairs", flush=True)
    sides = list(zip(*(paths_of(segmented, splits[0], name, args.target) for name in languages)))
    counts = [count_symbols(paths) for paths in sides]
    print_lengths(splits[0], counts, pairs[splits[0]], args.expected_lengths)
    notation = notation_of(args.encoder)
    if notation.bytewise and not notation.single:
        print_partial(splits[0], counts, args.expected_partial)
    dictionaries = choose_dictionaries(args, unfinished, counts)
    for number, language in enumerate(languages, 1):
        out = unfinished / f"{language}-{args.target}"
        arguments = preprocess_arguments(args, segmented, splits, language, dictionaries, out)
        if number == 1:
            print("fairseq-preprocess", *arguments, flush=True)
        preprocess.main(options.get_preprocessing_parser().parse_args(arguments))
        print(f"binarized {language} ({number} of {len(languages)})", flush=True)
    shutil.rmtree(segmented)
    shutil.rmtree(args.out, ignore_errors=True)
    unfinished.rename(args.out)


def languages_of(args: argparse.Namespace) -> List[str]:
    """The source languages: those asked for, or all that have a training set, sorted.

    Raises:
        ValueError: If the corpus lacks one of the languages.
    """
    found = find_languages(args.corpus, args.splits.split(",")[0], args.target)
    if not args.languages:
        return found
    languages = sorted(set(args.languages.split(",")))
    unknown = sorted(set(languages) - set(found))
    if unknown:
        raise ValueError(
            f"--languages: no {', '.join(unknown)} in {args.corpus}; it has {', '.join(found)}"
        )
    return languages


def check(args: argparse.Namespace, languages: List[str]) -> None:
    """Refuses what does not go together.

    Raises:
        ValueError: Saying what, and what to do.
    """
    if args.separate and (len(languages) > 1 or args.dictionary or args.lang_tokens):
        raise ValueError(
            "--separate: several languages, a given --dictionary and --lang-tokens need one "
            "dictionary for both sides"
        )
    if args.dictionary and args.lang_tokens:
        raise ValueError("--lang-tokens adds to a dictionary that is made here, not to a given one")


def converter(encoder: str, codes: Optional[Path], workers: int) -> Convert:
    """What segments one file into another, and tells the number of lines.

    Raises:
        ValueError: If codes are missing or not needed.
    """
    codec = make_codec(encoder, codes)

    def convert_file(source: Path, target: Path) -> int:
        with source.open("rb") as stream, atomic_writer(target) as written:
            try:
                return codec.encode_stream(stream, written, num_workers=workers)
            except ValueError as error:
                raise ValueError(f"{source}: {error}") from error

    return convert_file


def segment(
    corpus: Path,
    segmented: Path,
    split: str,
    language: str,
    target: str,
    converters: Dict[str, Convert],
) -> int:
    """Segments both sides of a set, and makes sure that they still belong together.

    Returns:
        The number of pairs; 0 where the language has no such set.

    Raises:
        ValueError: If the sides have different numbers of lines, or one of them is missing.
    """
    sources = paths_of(corpus, split, language, target)
    if not any(path.exists() for path in sources):
        return 0
    lines = [
        convert(source, out)
        for convert, source, out in zip(
            converters.values(), sources, paths_of(segmented, split, language, target)
        )
    ]
    if lines[0] != lines[1]:
        raise ValueError(f"{sources[0]} has {lines[0]} lines, {sources[1]} has {lines[1]}")
    return lines[0]


def choose_dictionaries(args: argparse.Namespace, folder: Path, sides: List[Counter]) -> List[Path]:
    """The source side's and the target side's dictionary: a given one, or made from the counts."""
    if args.dictionary is not None:
        return keep_dictionary(args.dictionary, sides)
    codes = [args.codes, args.target_codes or args.codes]
    extra = [language_token(name) for name in languages_of(args)] if args.lang_tokens else []
    limits = Limits(args.threshold, args.nwords)
    return write_dictionaries(folder, sides, args.encoder, codes, args.separate, limits, extra)


def preprocess_arguments(
    args: argparse.Namespace,
    segmented: Path,
    splits: List[str],
    language: str,
    dictionaries: List[Path],
    out: Path,
) -> List[str]:
    """The command line of fairseq-preprocess for one language, into a folder of its own."""

    def prefixes(names: List[str]) -> List[Path]:
        found = [segmented / f"{name}.{language}-{args.target}" for name in names]
        return [
            prefix for prefix in found if prefix.with_name(f"{prefix.name}.{language}").exists()
        ]

    arguments = ["--source-lang", language, "--target-lang", args.target, "--destdir", out]
    arguments += ["--workers", args.workers, "--srcdict", dictionaries[0]]
    if args.separate:
        arguments += ["--tgtdict", dictionaries[1]]
    else:
        arguments += ["--joined-dictionary"]
    for flag, names in (("train", splits[:1]), ("valid", splits[1:2]), ("test", splits[2:])):
        found = prefixes(names)
        if found:
            arguments += [f"--{flag}pref", ",".join(map(str, found))]
    return [str(argument) for argument in arguments]


if __name__ == "__main__":
    sys.exit(main())
