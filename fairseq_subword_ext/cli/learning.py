"""The flags and reports of learning, shared by learn-bpe, learn-joint-bpe-and-vocab and explain."""

import argparse
from pathlib import Path
from typing import Any, Dict, List

from fairseq_subword_ext.cli.common import log, workers
from fairseq_subword_ext.subword.borders import BORDERS
from fairseq_subword_ext.subword.goodness import load_measure_module, measure_names
from fairseq_subword_ext.subword.learn_options import DLG_COUNTS, TIE_BREAKS
from fairseq_subword_ext.subword.merge_table import MergeTable, metadata_path_of
from fairseq_subword_ext.subword.symbols import CHAR_VERSIONS, UNITS
from fairseq_subword_ext.textio.files import STANDARD_STREAM


def add_learning_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the flags that determine the merges; those of subword-nmt have its names and defaults."""
    parser.add_argument(
        "-s", "--symbols", type=int, default=10000, metavar="N",
        help="merges to learn (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "-t", "--total-symbols", action="store_true",
        help="let --symbols count base symbols as well as merges: the characters, separately at the end of "
        "a word and elsewhere (as subword-nmt estimates it), or the 256 bytes",
    )  # fmt: skip
    add_measure_arguments(parser)


def add_measure_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the flags that determine the merges, except for their number."""
    add_goodness_arguments(parser)
    parser.add_argument(
        "--dlg-counts", choices=DLG_COUNTS, default="tokens",
        help="what the dlg measures count (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--tie-break", choices=TIE_BREAKS, default="greatest",
        help="which of several equally good pairs to merge: the lexicographically greatest, as in "
        "subword-nmt, the least, or the first in the text (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--unit", choices=UNITS, default="char", help="base symbols (default: %(default)s)"
    )
    parser.add_argument(
        "--borders", choices=BORDERS, default="none",
        help="with --unit byte: borders that no merge crosses; sentencepiece: scripts, numbers and 16 "
        "bytes, as in the byte-level paper's example; character: characters (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--marker-version", choices=CHAR_VERSIONS,
        help="end-of-word marker: 0.2 joins it to the last character, 0.1 makes it a separate symbol "
        "(default: 0.2)",
    )  # fmt: skip


def add_goodness_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the goodness measure and the minimal frequency."""
    parser.add_argument(
        "--min-frequency", type=int, default=2, metavar="N",
        help="merge only pairs that occur at least N times (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--measure", default="frequency", metavar="NAME",
        help=f"goodness measure: {', '.join(measure_names())}, or one of --measure-module "
        "(default: %(default)s, which is subword-nmt's BPE)",
    )  # fmt: skip
    parser.add_argument(
        "--measure-module",
        metavar="FILE.py",
        help="Python file that registers a measure; it is executed",
    )


MEMORY_ADVICE = (
    "fewer word types need less memory: count them with `fairseq-subword count-words --max-memory 4G "
    "--min-word-count 2`, and learn from the counts (learn-bpe --dict-input)"
)


def files_beside_codes(args: argparse.Namespace) -> List[Path]:
    """The files written beside the codes: the metadata, unless a flag names their file."""
    if args.output == STANDARD_STREAM or args.meta is not None:
        return []
    return [metadata_path_of(args.output)]


def learning_options(args: argparse.Namespace) -> Dict[str, Any]:
    """Turns the flags into keyword arguments of ``learn_bpe``.

    Raises:
        ValueError: If the measure is not registered, or borders are given without bytes.
        OSError: If the measure module cannot be read.
    """
    if args.borders != "none" and args.unit != "byte":
        raise ValueError(f"--borders {args.borders} applies to bytes: add --unit byte")
    if args.measure_module is not None:
        load_measure_module(args.measure_module)
    if args.measure not in measure_names():
        raise ValueError(
            f"--measure {args.measure}: expected one of {', '.join(measure_names())}, or give "
            "--measure-module FILE.py"
        )
    return {
        "num_symbols": args.symbols,
        "measure": args.measure,
        "unit": args.unit,
        "min_frequency": args.min_frequency,
        "total_symbols": args.total_symbols,
        "tie_break": args.tie_break,
        "dlg_counts": args.dlg_counts,
        "version": args.marker_version,
        "borders": args.borders,
        "num_workers": workers(args),
    }


def report_learning(table: MergeTable) -> None:
    """Logs how many merges were learned and how large a vocabulary to expect."""
    asked = table.metadata["merges_asked"]
    log(f"learned {len(table)} of {asked} merges")
    if len(table) < asked:
        log(
            f"no other pair of symbols occurs {table.metadata['min_frequency']} times or more: that is "
            "normal for a small text, and the codes are usable"
        )
    base = len(table.alphabet or ())
    log(f"inventory: {base + len(table)} symbols ({base} base symbols and {len(table)} merges)")
    tokens = base + len(table)
    if table.version == "0.1":
        # With a separate marker, one symbol can become two tokens: inside a word and at its end.
        from fairseq_subword_ext.subword.dictionary import producible_tokens

        tokens = len(producible_tokens(table))
    log(
        f"expected vocabulary: at most {tokens} subwords, not counting characters that did not occur "
        "in that position of a word during training"
    )
