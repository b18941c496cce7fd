"""The command line of ``fairseq-subword score``."""

import argparse

from fairseq_subword_ext.cli.common import add_workers_argument, text_argument
from fairseq_subword_ext.evaluation.significance import TESTS
from fairseq_subword_ext.evaluation.word_f1 import RARE_RANK
from fairseq_subword_ext.evaluation.words import (
    DEFAULT_TOKENIZER,
    MOSES,
    SACREBLEU_TOKENIZERS,
    TOKENIZERS,
)
from fairseq_subword_ext.textio.lines import CARRIAGE_RETURNS
from fairseq_subword_ext.textio.output_files import OutputFile
from fairseq_subword_ext.textio.tables import FORMATS


class SignificanceAction(argparse.Action):
    """Reads the names of the tests; the arguments after them are systems."""

    def __call__(self, parser, namespace, values, option_string=None):
        names = [value for value in values if value in TESTS]
        if not names or values[: len(names)] != names:
            parser.error(
                f"{option_string}: expected one of {', '.join(TESTS)}, found {values[0]!r}"
            )
        namespace.significance = [*namespace.significance, *names]
        namespace.further_systems = [*namespace.further_systems, *values[len(names) :]]


def id_range(text: str) -> range:
    """Reads ``FIRST-LAST``, both inclusive.

    Raises:
        ValueError: If the text is anything else; argparse turns it into its own message.
    """
    first, last = map(int, text.split("-"))
    if not 0 <= first <= last:
        raise ValueError(text)
    return range(first, last + 1)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the inputs, the measures and the outputs."""
    parser.add_argument(
        "systems", nargs="*", metavar="[NAME=]SYSTEM", type=text_argument,
        help="output of a system; its name defaults to the file name",
    )  # fmt: skip
    _add_text_arguments(parser)
    _add_measure_arguments(parser)
    _add_output_arguments(parser)
    parser.set_defaults(further_systems=[])


def _add_text_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-r", "--reference", metavar="REF", help="the raw reference text")
    parser.add_argument(
        "--ids", metavar="FIRST-LAST", type=id_range,
        help="score only these sentences of Fairseq's output, by the ids printed there, such as one "
        "language of several",
    )  # fmt: skip
    parser.add_argument(
        "--source", metavar="FILE", help="the source text, to count what was copied"
    )
    parser.add_argument(
        "--train", nargs="+", action="extend", default=[], metavar="FILE",
        help="the target side of the training text, to score rare and OOV words too",
    )  # fmt: skip
    parser.add_argument(
        "--rare-rank", type=int, default=RARE_RANK, metavar="N",
        help="a training word is rare if it is not among the N most frequent (default: "
        "%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--rare-includes-oov", action="store_true",
        help="count OOV words as rare, too (default: two disjoint classes)",
    )  # fmt: skip
    parser.add_argument(
        "--carriage-return", choices=CARRIAGE_RETURNS, default="error",
        help="what to do with a lone carriage return inside a line: stop, or read it as a space (default: "
        "%(default)s)",
    )  # fmt: skip


def _add_measure_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tokenize", choices=SACREBLEU_TOKENIZERS, default=DEFAULT_TOKENIZER,
        help="tokenizer for BLEU, F1 and lengths, one of sacreBLEU's; flores200 gives spBLEU (default: "
        "%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--tokenized", action="store_true",
        help="also compute case-sensitive BLEU on tokenized text, as papers report it",
    )  # fmt: skip
    parser.add_argument(
        "--tokenized-by", choices=TOKENIZERS, default=MOSES,
        help="tokenizer of --tokenized for output and reference; none: they are already tokenized "
        "(default: %(default)s, by sacremoses)",
    )  # fmt: skip
    parser.add_argument(
        "--tokenized-lang", default="en", metavar="LANG",
        help="the target language, for Moses' abbreviations (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--segment-scores", metavar="[NAME:]METRIC=FILE", action="append", default=[],
        type=text_argument,
        help="line scores of a system from another tool, one per line, such as gru:COMET=gru.comet: "
        "their mean becomes a row, and --significance compares them",
    )  # fmt: skip
    parser.add_argument(
        "--lower-is-better", metavar="METRIC", action="append", default=[], type=text_argument,
        help="a metric of --segment-scores that counts errors",
    )  # fmt: skip
    parser.add_argument(
        "--significance", nargs="+", action=SignificanceAction, default=[], metavar="TEST",
        help=f"compare with the baseline: {', '.join(TESTS)}; ++ at p < 0.01, + at p < 0.05 for "
        "better, -- and - for worse systems",
    )  # fmt: skip
    parser.add_argument(
        "--baseline", metavar="NAME", help="the system to compare with (default: the first)"
    )
    add_workers_argument(parser)


def _add_output_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set", metavar="[NAME:]KEY=VALUE", action="append", default=[], type=text_argument,
        help="record a setting of all systems (or of one) in the JSON file, such as merges=10000 or "
        "context=gru; the plots use them",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=FORMATS, default="text",
        help="output format (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--transpose", action="store_true", help="print one row per system, one column per measure"
    )
    parser.add_argument(
        "--json", metavar="FILE", type=OutputFile, help="also write all scores to this file"
    )
    parser.add_argument(
        "--load", nargs="+", action="extend", default=[], metavar="JSON",
        help="show the scores saved with --json in one table, instead of scoring",
    )  # fmt: skip
    parser.add_argument(
        "--plot-merges", metavar="PREFIX",
        help="plot the score against the setting merges, one line per combination of the other "
        "settings, into PREFIX.png and PREFIX.svg",
    )  # fmt: skip
    parser.add_argument(
        "--plot-context", metavar="PREFIX",
        help="draw bars by the setting context (none, conv, gru), one group per combination of the "
        "other settings",
    )  # fmt: skip
    parser.add_argument(
        "--plot-metric", default="BLEU", metavar="NAME",
        help="the row of the table to plot (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--rank-plot", metavar="FILE",
        help="plot unigram F1 by frequency rank in the text of --train, one line per system, into "
        "FILE.png and FILE.svg, or into FILE itself if it ends in .png or .svg",
    )  # fmt: skip
