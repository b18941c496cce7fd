"""The flags of learning, which learn-bpe, learn-joint-bpe-and-vocab and explain share."""

import argparse
from pathlib import Path
from typing import Any, Dict, List

from fairseq_subword_ext.cli.common import note, workers
from fairseq_subword_ext.subword.borders import BORDERS
from fairseq_subword_ext.subword.goodness import load_measure_module, measure_names
from fairseq_subword_ext.subword.learn_options import DLG_COUNTS, TIE_BREAKS
from fairseq_subword_ext.subword.merge_table import MergeTable, metadata_path_of
from fairseq_subword_ext.subword.symbols import CHAR_VERSIONS, UNITS
from fairseq_subword_ext.textio.files import STANDARD_STREAM


def add_learning_arguments(parser: argparse.ArgumentParser) -> None:
    """What decides which merges are learned; names and defaults of subword-nmt where it has one."""
    parser.add_argument(
        "-s", "--symbols", type=int, default=10000, metavar="N",
        help="merges to learn (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "-t", "--total-symbols", action="store_true",
        help="--symbols counts base symbols and merges: characters, each at the end of a word and "
        "elsewhere (as subword-nmt estimates it), or the 256 bytes",
    )  # fmt: skip
    parser.add_argument(
        "--min-frequency", type=int, default=2, metavar="N",
        help="merge only pairs that occur at least so often (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--measure", default="frequency", metavar="NAME",
        help=f"goodness measure: {', '.join(measure_names())}, or one of --measure-module "
        "(default: %(default)s, which is subword-nmt's BPE)",
    )  # fmt: skip
    parser.add_argument(
        "--measure-module",
        metavar="FILE.py",
        help="Python file that registers a measure; it is run",
    )
    parser.add_argument(
        "--dlg-counts", choices=DLG_COUNTS, default="tokens",
        help="what the dlg measures count (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--tie-break", choices=TIE_BREAKS, default="greatest",
        help="which of several best pairs is merged: the lexicographically greatest, as in "
        "subword-nmt, or least, or the first in the text (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--unit", choices=UNITS, default="char", help="base symbols (default: %(default)s)"
    )
    parser.add_argument(
        "--borders", choices=BORDERS, default="none",
        help="with --unit byte: what no merge crosses; sentencepiece: script, number and 16 bytes, as "
        "in the byte-level paper's example; character: the ends of a character (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--marker-version", choices=CHAR_VERSIONS,
        help="end-of-word marker: 0.2 joined to the last character, 0.1 a symbol of its own "
        "(default: 0.2)",
    )  # fmt: skip


MEMORY_ADVICE = (
    "fewer word types need less: count them with `fairseq-subword count-words --max-memory 4G "
    "--min-word-count 2`, and learn from the counts (learn-bpe --dict-input)"
)


def files_beside_codes(args: argparse.Namespace) -> List[Path]:
    """What learning writes beside the codes: the metadata, where no flag names their file."""
    if args.output == STANDARD_STREAM or args.meta is not None:
        return []
    return [metadata_path_of(args.output)]


def learning_options(args: argparse.Namespace) -> Dict[str, Any]:
    """The keyword arguments of ``learn_bpe`` that the flags stand for.

    Raises:
        ValueError: for a measure that nobody registered, and for borders without bytes.
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
    """Says how many merges came out and how large a vocabulary to expect."""
    asked = table.metadata["merges_asked"]
    note(f"learned {len(table)} of {asked} merges")
    if len(table) < asked:
        note(
            f"no other pair of symbols occurs {table.metadata['min_frequency']} times or more: that is "
            "normal where the text is small, and the codes can be used"
        )
    base = len(table.alphabet or ())
    note(f"inventory: {base + len(table)} symbols ({base} base symbols and {len(table)} merges)")
    tokens = base + len(table)
    if table.version == "0.1":
        # A marker of its own leaves open whether a symbol ends a word, and so which token it becomes.
        from fairseq_subword_ext.subword.dictionary import producible_tokens

        tokens = len(producible_tokens(table))
    note(
        f"expected vocabulary: at most {tokens} subwords, not counting characters that training did "
        "not have at that place of a word"
    )
