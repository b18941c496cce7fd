"""Shows how words are segmented, or how merges were learned, step by step.

explain -c CODES WORD...    each merge that applies to a word, with its rank, and the word after it
explain --learn FILE        for 'word count' lines: each merge with the statistics that decided it, and
                            the number of symbols in the corpus after it

Columns of --learn: score (of the measure), count (occurrences), types (word types that contain the pair),
wf (sum of their frequencies), L and R (distinct neighbours), c(a) and c(b) (counts of the two symbols),
n (all symbols before the merge), m (replacements), symbols (all symbols after it).
"""

import argparse
from typing import Iterator, List, Tuple, Union

from fairseq_subword_ext.cli.common import (
    add_separator_argument,
    add_workers_argument,
    print_signature,
    text_argument,
)
from fairseq_subword_ext.cli.learning import add_learning_arguments, learning_options
from fairseq_subword_ext.subword.learner import MergeStep, learn_with_trace
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.reference import replace_pair
from fairseq_subword_ext.subword.segmenter import UNKNOWN, Segmenter
from fairseq_subword_ext.subword.symbols import word_to_symbols
from fairseq_subword_ext.textio.files import (
    STANDARD_STREAM,
    atomic_text_writer,
    read_text_lines,
)

COLUMNS = (
    "rank", "merge", "score", "count", "types", "wf", "L", "R", "c(a)", "c(b)", "n", "m", "symbols",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the words and their codes, or the counts to learn from and how."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("-c", "--codes", metavar="FILE", help="codes to apply")
    what.add_argument("--learn", metavar="FILE", help="'word count' lines to learn from")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        type=text_argument,
        help="words (default: read from standard input)",
    )
    parser.add_argument(
        "-m", "--merges", type=int, metavar="N", help="use the first N merges of the codes only"
    )
    parser.add_argument(
        "--unknown", choices=UNKNOWN, default="keep",
        help="what to do with characters outside the alphabet (default: %(default)s)",
    )  # fmt: skip
    add_separator_argument(parser)
    add_learning_arguments(parser)
    add_workers_argument(parser)


def run(args: argparse.Namespace) -> None:
    """Prints one of the two traces on standard output, columns separated by tabs."""
    if args.learn is not None:
        if args.words:
            raise ValueError(f"--learn takes no words, found {' '.join(args.words)!r}")
        table, steps = learn_with_trace(args.learn, dict_input=True, **learning_options(args))
        rows = learning_rows(table, steps)
    else:
        table = MergeTable.load(args.codes, args.merges)
        segmenter = Segmenter(table, args.separator, unknown=args.unknown, fallback=True)
        words = args.words or _words_of_standard_input()
        rows = (row for word in words for row in word_rows(table, segmenter, word))
    with atomic_text_writer(STANDARD_STREAM) as stream:
        for row in rows:
            stream.write("\t".join(row) + "\n")
    print_signature(table.signature())


def _words_of_standard_input() -> Iterator[str]:
    for line in read_text_lines(STANDARD_STREAM):
        yield from filter(None, line.strip("\r ").split(" "))


def word_rows(table: MergeTable, segmenter: Segmenter, word: str) -> List[Tuple[str, ...]]:
    """The word, its symbols at the start and after each merge, and its segmentation as printed.

    Raises:
        ValueError: If it is not a single word, or has a character that the segmenter refuses.
    """
    printed = segmenter.segment_line(word)
    if not word or " " in word or "\n" in word:
        raise ValueError(f"expected one word, without spaces; found {word!r}")
    rows = [(word,), ("", "start", " ".join(word_to_symbols(word, table.version)))]
    for rank, pair, symbols in merge_steps(table, word):
        rows.append((str(rank), " ".join(pair), " ".join(symbols)))
    return [*rows, ("", "printed", printed)]


def merge_steps(table: MergeTable, word: str) -> Iterator[Tuple[int, Tuple[str, str], List[str]]]:
    """Each merge that applies: its rank (from 1), its pair, and the word's symbols after it.

    Sennrich, Haddow & Birch 2016, section 3.2: the pair that was learned first is merged first.
    """
    ranks = {pair: rank for rank, pair in reversed(list(enumerate(table, start=1)))}
    symbols = word_to_symbols(word, table.version)
    while True:
        known = [pair for pair in zip(symbols, symbols[1:]) if pair in ranks]
        if not known:
            return
        best = min(known, key=ranks.__getitem__)
        symbols = replace_pair(symbols, best)
        yield ranks[best], best, symbols


def learning_rows(table: MergeTable, steps: List[MergeStep]) -> Iterator[Tuple[str, ...]]:
    """The header, the corpus before learning, and one row per merge."""
    yield COLUMNS
    start = steps[0].n if steps else sum((table.alphabet or {}).values())
    yield ("0", *[""] * (len(COLUMNS) - 2), str(start))
    for rank, step in enumerate(steps, start=1):
        statistics = (
            step.score, step.occ, step.types, step.wf, step.L, step.R, step.c_a, step.c_b, step.n,
            step.m, step.symbols_after,
        )  # fmt: skip
        yield (str(rank), " ".join(step.pair), *map(_shown_number, statistics))


def _shown_number(number: Union[int, float]) -> str:
    return str(number) if isinstance(number, int) else f"{number:.6g}"
