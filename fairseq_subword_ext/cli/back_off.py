"""Writes the back-off dictionary (the system WDict)."""

import argparse
from pathlib import Path
from sys import intern
from typing import List

from fairseq_subword_ext.baselines.alignment import PASSES, aligned_words
from fairseq_subword_ext.baselines.back_off import most_linked, save_dictionary
from fairseq_subword_ext.baselines.words import Words
from fairseq_subword_ext.cli.common import log, progress_bar
from fairseq_subword_ext.cli.joined_input import JoinedInput
from fairseq_subword_ext.textio.inputs import expand
from fairseq_subword_ext.textio.lines import read_lines


def write_back_off_dictionary(args: argparse.Namespace) -> None:
    """Aligns --input and --parallel and writes the dictionary.

    Raises:
        ValueError: If a text cannot be read twice, or the numbers of lines differ.
        OSError: If a file cannot be read or written.
        ImportError: If the aligner is not installed.
    """
    inputs = expand(args.input)
    streams = [path for path in inputs if not Path(path).is_file()]
    if streams:
        raise ValueError(
            f"-i {streams[0]}: with --parallel the text is read twice, so it must be a file"
        )
    source = _words(inputs, args.carriage_return)
    target = _words(args.parallel, args.carriage_return)
    if len(source) != len(target):
        raise ValueError(
            f"{', '.join(inputs)} has {len(source)} lines but {', '.join(args.parallel)} has "
            f"{len(target)}: they must be translations of each other, line by line"
        )
    with progress_bar("aligning", PASSES) as bar:
        entries = most_linked(aligned_words(source, target, bar.update))
    save_dictionary(entries, args.write_dictionary)
    log(f"back-off dictionary: {len(entries)} words, from {len(source)} pairs of lines")


def _words(paths: List[str], carriage_return: str) -> List[List[str]]:
    """The words of each line, as Fairseq will see them."""
    encode = Words().encode
    with JoinedInput(paths, "reading") as stream:
        try:
            lines = read_lines(stream, carriage_return, stream.name)
            # Equal words share one string; otherwise a large text would not fit into memory.
            return [list(map(intern, encode(line).split())) for line in lines]
        except ValueError as error:
            raise stream.located(error) from None
