"""Segments text by a merge table, line for line.

With --compat subword-nmt the output is subword-nmt's, byte for byte. Without it, what Fairseq would
misread is escaped: Unicode spaces, and tokens spelled like Fairseq's control symbols. The encoder
generalized_bpe and the command restore undo that.
"""

import argparse

from fairseq_subword_ext.cli.option_arguments import (
    add_option_arguments,
    encoding_options,
    flag,
    given_options,
)
from fairseq_subword_ext.cli.run_job import run_job
from fairseq_subword_ext.cli.text_arguments import add_text_arguments, check_text_arguments
from fairseq_subword_ext.cli.text_job import TextJob
from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.registry import ENCODINGS, FORMS, codec_class

DEFAULT = "generalized_bpe"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Flags as subword-nmt's apply-bpe, and ours."""
    add_option_arguments(parser, encoding_options())
    parser.add_argument(
        "--seed", type=int, metavar="N", help="makes --dropout the same in every run"
    )
    parser.add_argument(
        "--encoder", choices=list(ENCODINGS), default=DEFAULT,
        help="what Fairseq's --bpe will be (default: %(default)s, with byte-level codes too)",
    )  # fmt: skip
    parser.add_argument(
        "--compat", choices=list(FORMS),
        help="subword-nmt: exactly its output, nothing escaped; fairseq: what Fairseq's own encoder of "
        "this kind does (with --encoder)",
    )  # fmt: skip
    add_text_arguments(parser, "segmented text")


def run(args: argparse.Namespace) -> None:
    """Segments all inputs as one text, or each to a file of its own."""
    check_text_arguments(args)
    options = encoding_options()
    codec = make_codec(args)
    job = TextJob(
        lambda name, first_lines, seed: codec.block_coder(args.carriage_return, name, seed),
        signature=codec.signature(),
        files=[name for name, each in options.items() if each.metadata["is_file"]],
        split_separator=codec.split_separator,
        draws=bool(getattr(codec.options, "dropout", 0.0)),
    )
    run_job(args, job)


def make_codec(args: argparse.Namespace) -> Codec:
    """The codec that the flags ask for.

    Raises:
        ValueError: for flags that cannot be combined, and for files that cannot be used.
        OSError: If a file cannot be read.
    """
    codec = codec_class(args.encoder, args.compat)
    given = given_options(args, encoding_options())
    given["carriage_return"] = args.carriage_return
    codec.check(given, f"--encoder {args.encoder}", flag)
    return codec(**given)
