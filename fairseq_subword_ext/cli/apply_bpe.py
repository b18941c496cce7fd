"""Segments text by a merge table, line for line.

With --compat subword-nmt the output is subword-nmt's, byte for byte. Without it, what Fairseq would
misread is escaped: Unicode spaces, and tokens spelled like Fairseq's control symbols. The encoder
generalized_bpe and the command restore undo that.
"""

import argparse
from pathlib import Path

from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_output_argument,
    add_separator_argument,
    add_workers_argument,
    note,
    print_signature,
    text_argument,
    workers,
)
from fairseq_subword_ext.cli.compression_arguments import add_compression_arguments, output_of
from fairseq_subword_ext.cli.folder_arguments import add_folder_arguments, check_folder_arguments
from fairseq_subword_ext.cli.joined_input import JoinedInput
from fairseq_subword_ext.cli.segmentation import Segmentation, drawn_seed
from fairseq_subword_ext.cli.split_report import SplitReport
from fairseq_subword_ext.subword.glossary import read_literal_terms
from fairseq_subword_ext.subword.line_codecs import ENCODERS, WITH_CODES, make_codec
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import UNKNOWN, Segmenter
from fairseq_subword_ext.subword.signature import format_signature, short_digest
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.subword.vocabulary import Vocabulary
from fairseq_subword_ext.textio.block_stream import by_threads, segment_stream
from fairseq_subword_ext.textio.files import STANDARD_STREAM, atomic_writer
from fairseq_subword_ext.textio.inputs import expand

GENERALIZED = "generalized_bpe"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Flags as subword-nmt's apply-bpe, and ours."""
    add_input_arguments(parser)
    add_output_argument(parser, "segmented text")
    parser.add_argument("-c", "--codes", metavar="FILE", help="codes file from learn-bpe")
    parser.add_argument(
        "-m", "--merges", type=int, default=-1, metavar="N",
        help="use the first N merges only (default: all)",
    )  # fmt: skip
    add_separator_argument(parser, "-s")
    parser.add_argument(
        "--vocabulary", metavar="FILE",
        help="vocabulary from get-vocab: merges that made a piece outside it are undone",
    )  # fmt: skip
    parser.add_argument(
        "--vocabulary-threshold", type=int, metavar="N",
        help="use only those pieces of the vocabulary that occur at least so often",
    )  # fmt: skip
    parser.add_argument(
        "--dropout", type=float, default=0.0, metavar="P",
        help="BPE-dropout: leave out each merge with this probability; for training text only",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=int, metavar="N", help="makes --dropout the same in every run"
    )
    parser.add_argument(
        "--glossaries", nargs="+", default=[], metavar="REGEX", type=text_argument,
        help="words, or parts of words, that stay whole",
    )  # fmt: skip
    parser.add_argument("--glossary-file", metavar="FILE", help="the same, literally, one a line")
    parser.add_argument(
        "--unknown", choices=UNKNOWN, default="keep",
        help="characters outside the alphabet of CODES.json: keep them, stop at them, or print <unk> "
        "(default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--encoder", choices=[GENERALIZED, *ENCODERS], default=GENERALIZED,
        help="what Fairseq's --bpe will be (default: %(default)s, with byte-level codes too)",
    )  # fmt: skip
    parser.add_argument(
        "--compat", choices=["subword-nmt", "fairseq"],
        help="subword-nmt: exactly its output, nothing escaped; fairseq: what Fairseq's own encoder of "
        "this kind does (with --encoder)",
    )  # fmt: skip
    add_workers_argument(parser)
    add_compression_arguments(parser, "by the suffix of -o; with --output-dir, each input's own")
    add_folder_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Segments all inputs as one text, or each to a file of its own."""
    if STANDARD_STREAM in (args.codes, args.vocabulary):
        raise ValueError("codes and vocabularies have to be files: '-' is for the text")
    check_folder_arguments(args)
    make = _make_merging if args.encoder == GENERALIZED else _make_encoding
    if args.output_dir is not None:
        from fairseq_subword_ext.cli.apply_files import segment_into_folder

        segment_into_folder(args, make(args))
        return
    segmentation = make(args)
    seed = drawn_seed(args)
    report = segmentation.report()
    with (
        atomic_writer(args.output) as target,
        JoinedInput(expand(args.input), "segmenting") as source,
    ):
        try:
            segment_stream(
                source,
                target,
                segmentation.coder(source.name, seed),
                by_threads(workers(args)),
                output_of(args, args.output),
                report.see,
            )
        except ValueError as error:
            raise source.located(error) from None
    source.report_carriage_returns()
    warning = report.warning()
    if warning:
        note(warning)
    print_signature(segmentation.signature)


def _make_merging(args: argparse.Namespace) -> Segmentation:
    """By a merge table, with all options of BPE."""
    if args.codes is None:
        raise ValueError("-c CODES is needed: a codes file from learn-bpe")
    table = MergeTable.load(args.codes, None if args.merges == -1 else args.merges)
    segmenter = make_segmenter(args, table)
    return Segmentation(
        lambda name, seed: segmenter.block_coder(args.dropout, seed),
        table.signature(),
        # Text that dropout has split tells nothing.
        lambda: SplitReport(args.separator, table.unit if not args.dropout else "none"),
    )


def make_segmenter(args: argparse.Namespace, table: MergeTable) -> Segmenter:
    """The segmenter that the flags ask for.

    Raises:
        ValueError: for flags that do not go together, and for files that cannot be used.
        OSError: where a file cannot be read.
    """
    if args.compat == "fairseq":
        raise ValueError(f"--compat fairseq goes with --encoder {', '.join(ENCODERS)}")
    if args.compat and args.carriage_return == "replace":
        raise ValueError(
            "--compat subword-nmt keeps carriage returns; --carriage-return changes them"
        )
    if args.vocabulary is None and args.vocabulary_threshold is not None:
        raise ValueError("--vocabulary-threshold needs --vocabulary FILE (from get-vocab)")
    glossaries = list(args.glossaries)
    if args.glossary_file is not None:
        glossaries += read_literal_terms(args.glossary_file)
    tokens = None
    if args.vocabulary is not None:
        vocabulary = Vocabulary.load(args.vocabulary, escaped=args.compat is None)
        tokens = vocabulary.tokens(args.vocabulary_threshold)
    return Segmenter(
        table,
        args.separator,
        vocabulary=tokens,
        glossaries=glossaries,
        unknown=args.unknown,
        compat=args.compat,
        carriage_return=args.carriage_return,
    )


def _make_encoding(args: argparse.Namespace) -> Segmentation:
    """The reversible codings of a line, which have no options of BPE."""
    given = {
        "--merges": args.merges != -1,
        "--vocabulary": args.vocabulary is not None,
        "--vocabulary-threshold": args.vocabulary_threshold is not None,
        "--dropout": bool(args.dropout),
        "--glossaries": bool(args.glossaries),
        "--glossary-file": args.glossary_file is not None,
        "--unknown": args.unknown != "keep",
        "--separator": args.separator != SEPARATOR,
        "--compat subword-nmt": args.compat == "subword-nmt",
    }
    unknown = [flag for flag, is_given in given.items() if is_given]
    if unknown:
        raise ValueError(f"--encoder {args.encoder} knows no {', '.join(unknown)}")
    if args.codes is None and args.encoder in WITH_CODES:
        raise ValueError(f"--encoder {args.encoder} needs -c CODES")
    codec = make_codec(args.encoder, args.codes, args.compat)
    return Segmentation(
        lambda name, seed: codec.block_coder(args.carriage_return, name),
        _encoder_signature(args),
        lambda: SplitReport(args.separator, "none"),
    )


def _encoder_signature(args: argparse.Namespace) -> str:
    codes = None if args.codes is None else short_digest(Path(args.codes).read_bytes())
    return format_signature({"encoder": args.encoder, "compat": args.compat, "codes": codes})
