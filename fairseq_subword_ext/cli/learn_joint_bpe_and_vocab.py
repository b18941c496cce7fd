"""Learns one merge table from several texts, and counts the subwords of each text by it.

What subword-nmt recommends for languages that share an alphabet: learn on both sides together, then
apply to each side with its own vocabulary (apply-bpe --vocabulary), so that no side gets pieces that
it never saw in training.
"""

import argparse
from collections import Counter
from typing import Any

from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_output_argument,
    add_separator_argument,
    add_workers_argument,
    note,
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
    """Flags as subword-nmt's learn-joint-bpe-and-vocab, and ours."""
    add_input_arguments(parser, required=True)
    add_output_argument(parser, "codes file", required=True)
    parser.add_argument(
        "--write-vocabulary", nargs="+", required=True, metavar="FILE", type=OutputFile,
        help="vocabulary files, one for each input, in their order",
    )  # fmt: skip
    parser.add_argument(
        "--meta", metavar="FILE", type=OutputFile,
        help="where the metadata go (default: CODES.json beside the codes)",
    )  # fmt: skip
    parser.add_argument(
        "--transliterate", metavar="LANGUAGE=iso9",
        help="learn with the inputs that end in .LANGUAGE (ru) in Latin letters, by ISO 9, and write "
        "each merge in Latin and in Cyrillic letters, for languages that share words but no alphabet",
    )  # fmt: skip
    add_learning_arguments(parser)
    add_separator_argument(parser)
    add_compat_argument(parser)
    add_workers_argument(parser)


def add_compat_argument(parser: argparse.ArgumentParser) -> None:
    """--compat, here for the vocabulary files only."""
    parser.add_argument(
        "--compat", choices=["subword-nmt"],
        help="count the tokens of apply-bpe --compat subword-nmt, which are not escaped",
    )  # fmt: skip


further_outputs = files_beside_codes


def run(args: argparse.Namespace) -> None:
    """Learns, segments every word type once, and writes."""
    if len(args.write_vocabulary) != len(args.input):
        raise ValueError(
            f"{len(args.input)} inputs (-i) but {len(args.write_vocabulary)} vocabulary files "
            "(--write-vocabulary): give one for each input"
        )
    if STANDARD_STREAM in args.input:
        raise ValueError("-i -: the texts are read twice, so they have to be files")
    table = learn_joint(args)
    segmenter = Segmenter(table, args.separator, compat=args.compat)
    table.save(args.output, args.meta)
    for path, vocabulary_path in zip(args.input, args.write_vocabulary):
        counts = count_words(path, False, workers(args), args.carriage_return)
        segmented_vocabulary(segmenter, counts, workers(args)).save(vocabulary_path)
    print_signature(table.signature())


def learn_joint(args: argparse.Namespace) -> MergeTable:
    """Learns from all inputs, and says what came out."""
    if args.transliterate is not None:
        return learn_transliterated(args)
    table = learn(args.input, args)
    report_learning(table)
    return table


def learn(inputs: Any, args: argparse.Namespace) -> MergeTable:
    """Learns with the flags' options."""
    options = learning_options(args)
    with progress_bar("learning merges", args.symbols) as bar:
        return learn_bpe(
            inputs,
            carriage_return=args.carriage_return,
            progress=lambda merges: bar.update(merges - bar.n),
            **options,
        )


def learn_transliterated(args: argparse.Namespace) -> MergeTable:
    """Learns from inputs some of which are written in Latin letters for it.

    Raises:
        ValueError: If the inputs or the flags do not allow it.
    """
    if args.unit != "char":
        raise ValueError(
            f"--transliterate is about letters; it does not go with --unit {args.unit}"
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
    note(f"{len(both) - len(table)} of the {len(table)} merges are in Cyrillic too")
    return both


def segmented_vocabulary(segmenter: Segmenter, words: WordCounts, num_workers: int) -> Vocabulary:
    """The vocabulary of a segmented text, from its word counts.

    Tokens come in the order of their first occurrence, since words do.
    """
    items = words.items()
    tokens: Counter = Counter()
    lines = segmenter.segment_lines([word for word, _ in items], num_workers)
    for line, (_, count) in zip(lines, items):
        for token in line.split(" "):
            tokens[token] += count
    return Vocabulary(dict(tokens))
