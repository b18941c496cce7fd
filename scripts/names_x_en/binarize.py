#!/usr/bin/env python3
"""Segments every language's files and runs fairseq-preprocess on them, with one dictionary for all.

fairseq-preprocess takes seconds to start, once a language; here its own main function is called in
a loop, with the arguments of the command line that the log shows for the first language.
"""

import argparse
import logging
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import List

from fairseq import options
from fairseq_cli import preprocess
from score import find_languages

from fairseq_subword_ext.subword.byte_codecs import ByteLevelBPE
from fairseq_subword_ext.subword.byte_dictionary import write_byte_dictionary


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--corpus", type=Path, required=True, help="folder with SPLIT.xx-en.xx, .en"
    )
    parser.add_argument("--codes", type=Path, required=True, help="byte-level codes")
    parser.add_argument("--out", type=Path, required=True, help="folder for the binarized data")
    parser.add_argument(
        "--splits",
        default="train,valid,test,test_seen",
        help="the first is train, the second valid, all others test sets (default: %(default)s)",
    )
    return parser


def main() -> int:
    args = build_parser().parse_args()
    logging.getLogger("fairseq_cli.preprocess").setLevel(logging.WARNING)
    try:
        run(args)
    except (ValueError, OSError) as error:
        print(f"binarize.py: error: {error}", file=sys.stderr)
        return 1
    return 0


def run(args: argparse.Namespace) -> None:
    codec = ByteLevelBPE(args.codes)
    splits = args.splits.split(",")
    languages = find_languages(args.corpus, splits[0])
    # What is written here is complete or gone: the folder gets its name at the end.
    unfinished = args.out.with_name(f".{args.out.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    segmented = unfinished / "segmented"
    segmented.mkdir(parents=True)
    counts = Counter()
    for split in splits:
        pairs = 0
        for language in languages:
            for side in (language, "en"):
                name = f"{split}.{language}-en.{side}"
                lines = (args.corpus / name).read_text(encoding="utf-8").split("\n")[:-1]
                encoded = codec.encode_lines(lines)
                with (segmented / name).open("w", encoding="utf-8", newline="\n") as stream:
                    stream.writelines(f"{line}\n" for line in encoded)
                if split == splits[0]:
                    counts.update(symbol for line in encoded for symbol in line.split(" "))
            pairs += len(lines)
        print(f"{split}: {pairs} pairs", flush=True)
    print(f"symbols in {splits[0]}, both sides: {sum(counts.values())}")
    dictionary = unfinished / "dict.txt"
    size = write_byte_dictionary(dictionary, codec.symbols, counts)
    print(f"dictionary: {size} symbols, all 256 bytes among them")
    for number, language in enumerate(languages, 1):
        arguments = preprocess_arguments(
            segmented, splits, language, dictionary, unfinished / f"{language}-en"
        )
        if number == 1:
            print("fairseq-preprocess", *arguments, flush=True)
        preprocess.main(options.get_preprocessing_parser().parse_args(arguments))
        print(f"binarized {language} ({number} of {len(languages)})", flush=True)
    shutil.rmtree(segmented)
    shutil.rmtree(args.out, ignore_errors=True)
    unfinished.rename(args.out)


def preprocess_arguments(segmented, splits, language, dictionary, out) -> List[str]:
    """The command line of fairseq-preprocess for one language, into a folder of its own."""
    prefixes = [segmented / f"{split}.{language}-en" for split in splits]
    arguments = [
        *("--source-lang", language, "--target-lang", "en"),
        *("--trainpref", prefixes[0], "--validpref", prefixes[1]),
        *("--testpref", ",".join(str(prefix) for prefix in prefixes[2:])),
        *("--srcdict", dictionary, "--joined-dictionary", "--destdir", out),
    ]
    return [str(argument) for argument in arguments]


if __name__ == "__main__":
    sys.exit(main())
