"""Counts the subwords of segmented text: 'subword count' on each line, most frequent first.

The output is what apply-bpe --vocabulary and --bpe-vocabulary take, and equals subword-nmt's byte for byte.
For Fairseq's dict.txt, see build-dict.
"""

import argparse

from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_output_argument,
    add_workers_argument,
    log,
    workers,
)
from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.subword.vocabulary import Vocabulary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the flags of subword-nmt's get-vocab and the number of threads."""
    add_input_arguments(parser)
    add_output_argument(parser, "vocabulary file")
    add_workers_argument(parser)


def run(args: argparse.Namespace) -> None:
    """Counts the subwords and writes the vocabulary."""
    counts = count_words(
        args.input, num_workers=workers(args), carriage_return=args.carriage_return
    )
    vocabulary = Vocabulary(dict(counts.items()))
    vocabulary.save(args.output)
    log(f"{len(vocabulary)} subword types, {counts.totals['tokens']} subword tokens")
