"""Learns one merge table from several texts, and counts the subwords that it gives each text.

This is what subword-nmt recommends for languages that share an alphabet: learn on both sides together,
then segment each side with its own vocabulary (apply-bpe --vocabulary), so that neither side gets pieces
that it never saw in training.
"""

import argparse
from collections import Counter
from typing import Any

from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_output_argument,
    add_separator_argument,
    add_workers_argument,
    log,
    print_signature,
    progress_bar,
    workers,
)
from fairseq_subword_ext.cli.learning import (
    MEMORY_ADVICE,
    add_learning_arguments,
    files_beside_codes,
    learning_options,
    report_learning,
)
from fairseq_subword_ext.counting.word_counts import WordCounts, count_words
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.transliteration import parse_transliteration
from fairseq_subword_ext.subword.vocabulary import Vocabulary
from fairseq_subword_ext.textio.files import STANDARD_STREAM
from fairseq_subword_ext.textio.output_files import OutputFile

__all__ = ["MEMORY_ADVICE", "add_arguments", "further_outputs", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the flags of subword-nmt's learn-joint-bpe-and-vocab, and further ones."""
    add_input_arguments(parser, required=True)
    add_output_argument(parser, "codes file", required=True)
    parser.add_argument(
        "--write-vocabulary", nargs="+", required=True, metavar="FILE", type=OutputFile,
        help="vocabulary files, one per input, in the same order",
    )  # fmt: skip
    parser.add_argument(
        "--meta", metavar="FILE", type=OutputFile,
        help="write the metadata here (default: CODES.json beside the codes)",
    )  # fmt: skip
    parser.add_argument(
        "--transliterate", metavar="LANGUAGE=iso9",
        help="transliterate the inputs that end in .LANGUAGE (ru) to Latin letters by ISO 9 before learning, "
        "and write each merge in Latin and in Cyrillic, for languages that share words but no alphabet",
    )  # fmt: skip
    add_learning_arguments(parser)
    add_separator_argument(parser)
    add_compat_argument(parser)
    add_workers_argument(parser)


def add_compat_argument(parser: argparse.ArgumentParser) -> None:
    """Adds --compat, which here affects the vocabulary files only."""
    parser.add_argument(
        "--compat", choices=["subword-nmt"],
        help="count the tokens of apply-bpe --compat subword-nmt, without escapes",
    )  # fmt: skip


further_outputs = files_beside_codes


def run(args: argparse.Namespace) -> None:
    """Learns, segments every word type once, and writes codes and vocabularies."""
    if len(args.write_vocabulary) != len(args.input):
        raise ValueError(
            f"{len(args.input)} inputs (-i) but {len(args.write_vocabulary)} vocabulary files "
            "(--write-vocabulary): give one per input"
        )
    if STANDARD_STREAM in args.input:
        raise ValueError("-i -: the texts are read twice, so they must be files")
    table = learn_joint(args)
    segmenter = Segmenter(table, args.separator, compat=args.compat)
    table.save(args.output, args.meta)
    for path, vocabulary_path in zip(args.input, args.write_vocabulary):
        counts = count_words(path, False, workers(args), args.carriage_return)
        segmented_vocabulary(segmenter, counts, workers(args)).save(vocabulary_path)
    print_signature(table.signature())


def learn_joint(args: argparse.Namespace) -> MergeTable:
    """Learns from all inputs and reports the result."""
    if args.transliterate is not None:
        return learn_transliterated(args)
    table = learn(args.input, args)
    report_learning(table)
    return table


def learn(inputs: Any, args: argparse.Namespace) -> MergeTable:
    """Learns with the options that the flags give."""
    options = learning_options(args)
    with progress_bar("learning merges", args.symbols) as bar:
        return learn_bpe(
            inputs,
            carriage_return=args.carriage_return,
            progress=lambda merges: bar.update(merges - bar.n),
            **options,
        )


def learn_transliterated(args: argparse.Namespace) -> MergeTable:
    """Learns from inputs some of which are first transliterated to Latin letters.

    Raises:
        ValueError: If the unit is not ``char``, or ``--transliterate`` does not fit the inputs.
    """
    if args.unit != "char":
        raise ValueError(
            f"--transliterate works on letters; it cannot be combined with --unit {args.unit}"
        )
    transliteration, chosen = parse_transliteration(args.transliterate, args.input)
    words: Counter = Counter()
    latin: Counter = Counter()
    for path, is_cyrillic in zip(args.input, chosen):
        counts = count_words(path, False, workers(args), args.carriage_return).items()
        words.update(dict(counts))
        latin.update(transliteration.latin_counts(counts) if is_cyrillic else dict(counts))
    joint = WordCounts.from_mapping(latin)
    joint.names = list(args.input)
    table = learn(joint, args)
    table.metadata["transliterate"] = args.transliterate
    report_learning(table)
    both = transliteration.with_cyrillic_merges(table, words)
    log(f"{len(both) - len(table)} of the {len(table)} merges were also written in Cyrillic")
    return both


def segmented_vocabulary(segmenter: Segmenter, words: WordCounts, num_workers: int) -> Vocabulary:
    """The vocabulary of a segmented text, computed from the text's word counts.

    Tokens are in the order of their first occurrence, since the words are.
    """
    items = words.items()
    tokens: Counter = Counter()
    lines = segmenter.segment_lines([word for word, _ in items], num_workers)
    for line, (_, count) in zip(lines, items):
        for token in line.split(" "):
            tokens[token] += count
    return Vocabulary(dict(tokens))
