"""Undoes any segmentation: pieces joined by @@, byte-level subwords, bytes, characters.

What the text is shows in its first lines; --encoder says it where that is not so (text that Fairseq's
own bytes or characters made, output of a model that is not trained yet). Bytes that form no character
are left out and counted on standard error; so is whatever stands for no byte.
"""

import argparse

from fairseq_subword_ext.cli.common import add_input_arguments, add_output_argument, note
from fairseq_subword_ext.cli.joined_input import JoinedInput
from fairseq_subword_ext.subword.baselines import NAMES as BASELINES
from fairseq_subword_ext.subword.restoring import COMPAT, ENCODERS, Restorer
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.files import atomic_writer
from fairseq_subword_ext.textio.pipeline import available_processors


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The input, the output, and what the text is."""
    add_input_arguments(parser)
    add_output_argument(parser, "text, one line for each line read")
    parser.add_argument(
        "--encoder", choices=[*ENCODERS, *BASELINES],
        help="what segmented the text: an encoder, or a baseline of segment-baseline (default: what "
        "its first lines look like)",
    )  # fmt: skip
    parser.add_argument(
        "-s", "--separator", default=SEPARATOR, metavar="STRING",
        help="of generalized_bpe: what pieces inside a word end in (default: '%(default)s')",
    )  # fmt: skip
    parser.add_argument(
        "--compat", choices=COMPAT,
        help="subword-nmt: @@ text without escapes; fairseq: text that Fairseq's own byte_bpe, bytes "
        "or characters made (with --encoder)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Restores all inputs as one text."""
    restorer = Restorer(args.encoder, args.separator, args.compat)
    with atomic_writer(args.output) as target, JoinedInput(args.input, "restoring") as source:
        try:
            restorer.restore_stream(
                source, target, available_processors(), args.carriage_return, source.name
            )
        except ValueError as error:
            raise source.located(error) from None
    source.report_carriage_returns()
    if args.encoder is None and restorer.encoder:
        note(f"restored as --encoder {restorer.encoder}, which the text looked like")
    if restorer.dropped_bytes or restorer.unknown_symbols:
        note(
            f"left out {restorer.dropped_bytes} bytes that form no character and "
            f"{restorer.unknown_symbols} symbols that stand for no byte"
        )
