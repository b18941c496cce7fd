"""Segments text with a merge table, line by line.

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
from fairseq_subword_ext.cli.text_job import (
    TextJob,
    add_text_arguments,
    check_text_arguments,
    run_job,
)
from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.registry import ENCODINGS, FORMS, codec_class

DEFAULT = "generalized_bpe"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the flags of subword-nmt's apply-bpe, and further ones."""
    add_option_arguments(parser, encoding_options())
    parser.add_argument(
        "--seed", type=int, metavar="N", help="seed of --dropout, to reproduce a segmentation"
    )
    parser.add_argument(
        "--encoder", choices=list(ENCODINGS), default=DEFAULT,
        help="the encoder that Fairseq will use as --bpe (default: %(default)s, also for byte-level codes)",
    )  # fmt: skip
    parser.add_argument(
        "--compat", choices=list(FORMS),
        help="subword-nmt: its exact output, with nothing escaped; fairseq: the output of Fairseq's own "
        "encoder of this kind (with --encoder)",
    )  # fmt: skip
    add_text_arguments(parser, "segmented text")


def run(args: argparse.Namespace) -> None:
    """Segments all inputs as one text, or each into its own file."""
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
    """Makes the codec that the flags describe.

    Raises:
        ValueError: If flags cannot be combined or a file cannot be used.
        OSError: If a file cannot be read.
    """
    codec = codec_class(args.encoder, args.compat)
    given = given_options(args, encoding_options())
    given["carriage_return"] = args.carriage_return
    codec.check(given, f"--encoder {args.encoder}", flag)
    return codec(**given)
