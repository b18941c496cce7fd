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
    """Takes the tests' names, and leaves what follows them to the systems."""

    def __call__(self, parser, namespace, values, option_string=None):
        names = [value for value in values if value in TESTS]
        if not names or values[: len(names)] != names:
            parser.error(
                f"{option_string}: expected one of {', '.join(TESTS)}, found {values[0]!r}"
            )
        namespace.significance = [*namespace.significance, *names]
        namespace.further_systems = [*namespace.further_systems, *values[len(names) :]]


def id_range(text: str) -> range:
    """Reads ``FIRST-LAST``, both included.

    Raises:
        ValueError: If it is anything else; argparse turns it into its own message.
    """
    first, last = map(int, text.split("-"))
    if not 0 <= first <= last:
        raise ValueError(text)
    return range(first, last + 1)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is scored, against what, and how it is shown."""
    parser.add_argument(
        "systems", nargs="*", metavar="[NAME=]SYSTEM", type=text_argument,
        help="a system's output; the name is the file's where none is given",
    )  # fmt: skip
    _add_text_arguments(parser)
    _add_measure_arguments(parser)
    _add_output_arguments(parser)
    parser.set_defaults(further_systems=[])


def _add_text_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-r", "--reference", metavar="REF", help="the raw reference text")
    parser.add_argument(
        "--ids", metavar="FIRST-LAST", type=id_range,
        help="score these sentences of Fairseq's output only, as numbered there: one language of "
        "several",
    )  # fmt: skip
    parser.add_argument("--source", metavar="FILE", help="the source text: count what was copied")
    parser.add_argument(
        "--train", nargs="+", action="extend", default=[], metavar="FILE",
        help="the target side of the training text: score rare and OOV words, too",
    )  # fmt: skip
    parser.add_argument(
        "--rare-rank", type=int, default=RARE_RANK, metavar="N",
        help="words of the training text outside its N most frequent ones are rare (default: "
        "%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--rare-includes-oov", action="store_true",
        help="count OOV words as rare, too (default: two classes that do not overlap)",
    )  # fmt: skip
    parser.add_argument(
        "--carriage-return", choices=CARRIAGE_RETURNS, default="error",
        help="a lone carriage return inside a line: stop there, or read it as a space (default: "
        "%(default)s)",
    )  # fmt: skip


def _add_measure_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tokenize", choices=SACREBLEU_TOKENIZERS, default=DEFAULT_TOKENIZER,
        help="how words are cut for BLEU, F1 and lengths: one of sacreBLEU's tokenizers; flores200 "
        "makes it spBLEU (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--tokenized", action="store_true",
        help="also case-sensitive BLEU on tokenized text, as papers report it",
    )  # fmt: skip
    parser.add_argument(
        "--tokenized-by", choices=TOKENIZERS, default=MOSES,
        help="what --tokenized tokenizes output and reference with; none: they are tokenized "
        "already (default: %(default)s, by sacremoses)",
    )  # fmt: skip
    parser.add_argument(
        "--tokenized-lang", default="en", metavar="LANG",
        help="the target language, for Moses' abbreviations (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--segment-scores", metavar="[NAME:]METRIC=FILE", action="append", default=[],
        type=text_argument,
        help="scores that another tool gave a system's lines, one per line, such as "
        "gru:COMET=gru.comet: their mean becomes a row, and --significance compares them",
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
        help="record a setting of the systems (or of one) in the JSON file, such as merges=10000 or "
        "context=gru, which pictures are drawn by",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=FORMATS, default="text",
        help="of what is printed (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--transpose", action="store_true", help="print one row per system, one column per measure"
    )
    parser.add_argument(
        "--json", metavar="FILE", type=OutputFile, help="also write all scores to this file"
    )
    parser.add_argument(
        "--load", nargs="+", action="extend", default=[], metavar="JSON",
        help="show the scores that --json kept, one table of all files, instead of scoring",
    )  # fmt: skip
    parser.add_argument(
        "--plot-merges", metavar="PREFIX",
        help="draw the score against the setting merges, a line for each combination of the other "
        "settings, into PREFIX.png and PREFIX.svg",
    )  # fmt: skip
    parser.add_argument(
        "--plot-context", metavar="PREFIX",
        help="draw bars by the setting context (none, conv, gru), a group for each combination of "
        "the other settings",
    )  # fmt: skip
    parser.add_argument(
        "--plot-metric", default="BLEU", metavar="NAME",
        help="the row of the table to draw (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--rank-plot", metavar="FILE",
        help="draw unigram F1 by frequency rank in the text of --train, a line for each system, into "
        "FILE.png and FILE.svg, or into FILE itself if it ends in .png or .svg",
    )  # fmt: skip
