"""The flags of the back-off dictionary (the system WDict), and its making."""

import argparse
from pathlib import Path
from sys import intern
from typing import List

from fairseq_subword_ext.cli.common import note, progress_bar
from fairseq_subword_ext.cli.joined_input import JoinedInput
from fairseq_subword_ext.subword.baselines.alignment import PASSES, aligned_words
from fairseq_subword_ext.subword.baselines.back_off import most_linked, save_dictionary
from fairseq_subword_ext.subword.baselines.words import Words
from fairseq_subword_ext.textio.lines import read_lines
from fairseq_subword_ext.textio.output_files import OutputFile


def add_back_off_arguments(parser: argparse.ArgumentParser) -> None:
    """--parallel and --write-dictionary."""
    parser.add_argument(
        "--parallel", nargs="+", metavar="FILE",
        help="word: the translation of the input, line for line; the two are word-aligned (extra "
        "'align')",
    )  # fmt: skip
    parser.add_argument(
        "--write-dictionary", metavar="FILE", type=OutputFile,
        help="word: where the back-off dictionary goes, for fairseq-generate --replace-unk FILE",
    )  # fmt: skip


def write_back_off_dictionary(args: argparse.Namespace) -> None:
    """Aligns --input and --parallel and writes the dictionary.

    Raises:
        ValueError: where flags are missing, or the numbers of lines differ.
        OSError: where a file cannot be read or written.
        ImportError: where the aligner is not installed.
    """
    if args.write_dictionary is None:
        raise ValueError(
            "--parallel goes with --write-dictionary FILE, which the dictionary is for"
        )
    streams = [path for path in args.input if not Path(path).is_file()]
    if streams:
        raise ValueError(
            f"-i {streams[0]}: with --parallel the text is read twice, so it has to be a file"
        )
    if args.shortlist is not None:
        raise ValueError(
            "--parallel without --shortlist: the dictionary is for the words outside it, and the "
            "text that --replace-unk reads has to show them"
        )
    source = _words(args.input, args.carriage_return)
    target = _words(args.parallel, args.carriage_return)
    if len(source) != len(target):
        raise ValueError(
            f"{', '.join(args.input)} has {len(source)} lines but {', '.join(args.parallel)} has "
            f"{len(target)}: they have to be translations of each other, line for line"
        )
    with progress_bar("aligning", PASSES) as bar:
        entries = most_linked(aligned_words(source, target, bar.update))
    save_dictionary(entries, args.write_dictionary)
    note(f"back-off dictionary: {len(entries)} words, from {len(source)} pairs of lines")


def _words(paths: List[str], carriage_return: str) -> List[List[str]]:
    """The words of each line as Fairseq will see them."""
    encode = Words().encode
    with JoinedInput(paths, "reading") as stream:
        try:
            lines = read_lines(stream, carriage_return, stream.name)
            # Equal words are one string: a large text would not fit into memory otherwise.
            return [list(map(intern, encode(line).split())) for line in lines]
        except ValueError as error:
            raise stream.located(error) from None
