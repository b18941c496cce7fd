"""Undoes any segmentation: pieces joined by @@, byte-level subwords, bytes, characters.

The segmentation is detected from the first lines. Give --encoder if they do not show it: text from Fairseq's
own bytes or characters encoder, or output of an untrained model. Bytes that form no character, and symbols
that represent no byte, are dropped and counted on standard error.
"""

import argparse
import threading
from collections import Counter
from typing import List, Optional

from fairseq_subword_ext.cli.common import log, text_argument
from fairseq_subword_ext.cli.text_job import (
    FirstLines,
    TextJob,
    add_text_arguments,
    check_text_arguments,
    run_job,
)
from fairseq_subword_ext.codecs.notation import Losses, Notation
from fairseq_subword_ext.codecs.recognition import LINES_TO_DETECT, Restorer, encoder_to_undo
from fairseq_subword_ext.codecs.registry import BASELINES, ENCODINGS, FORMS, notation_of
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.block_stream import BlockCoder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds input and output, and how the text was segmented."""
    add_text_arguments(parser, "text, one line for each line read")
    parser.add_argument(
        "--encoder", choices=[*ENCODINGS, *BASELINES],
        help="what segmented the text: an encoder, or a baseline of segment-baseline (default: detected "
        "from its first lines)",
    )  # fmt: skip
    parser.add_argument(
        "-s", "--separator", default=SEPARATOR, metavar="STRING", type=text_argument,
        help="of generalized_bpe: ends every piece inside a word (default: '%(default)s')",
    )  # fmt: skip
    parser.add_argument(
        "--compat", choices=list(FORMS),
        help="subword-nmt: @@ text without escapes; fairseq: text from Fairseq's own byte_bpe, bytes or "
        "characters encoder (with --encoder)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Restores all inputs as one text, or each into its own file."""
    check_text_arguments(args)
    restoration = Restoration(args.encoder, args.separator, args.compat)
    peeks = 0 if args.encoder else LINES_TO_DETECT
    run_job(args, TextJob(restoration.coder(args.carriage_return), done="restored", peeks=peeks))
    restoration.report()


class Restoration:
    """Restores texts, each with the encoder given, or else with the one that its first lines show.

    Args:
        encoder: an encoding or a baseline; None to detect it.
        separator: that of ``@@`` text.
        compat: the tool that wrote the text, if not this package.

    Raises:
        ValueError: If they cannot be combined.
    """

    def __init__(self, encoder: Optional[str], separator: str, compat: Optional[str]):
        if encoder is None and compat is not None:
            raise ValueError(f"--compat {compat} needs --encoder")
        self._separator = separator
        self._notation = notation_of(encoder, separator, compat) if encoder else None
        self._lock = threading.Lock()  # files are restored in threads
        self._detected: Counter = Counter()
        self._restorers: List[Restorer] = []

    def coder(self, carriage_return: str):
        """A factory of coders, one per text, for :class:`.TextJob`."""

        def make(name: str, first_lines: FirstLines, seed: Optional[int]) -> BlockCoder:
            restorer = Restorer(lambda: self._notation or self._detect(first_lines()))
            self._restorers.append(restorer)
            return restorer.block_coder(carriage_return, name)

        return make

    def _detect(self, lines: List[str]) -> Notation:
        if not any(line.strip(" ") for line in lines):
            return notation_of("generalized_bpe")  # every encoder leaves blank lines alone
        encoder = encoder_to_undo(lines, self._separator)
        with self._lock:
            self._detected[encoder] += 1
        return notation_of(encoder, self._separator)

    def report(self) -> None:
        """Logs what was detected and what was dropped."""
        for encoder, texts in self._detected.items():
            what = (
                "the text"
                if len(self._restorers) == 1
                else f"{texts} of {len(self._restorers)} texts"
            )
            log(f"restored {what} with --encoder {encoder}, as detected from the first lines")
        losses = Losses()
        for restorer in self._restorers:
            losses.add(restorer.losses)
        if losses.dropped_bytes or losses.unknown_symbols:
            log(
                f"dropped {losses.dropped_bytes} bytes that form no character and "
                f"{losses.unknown_symbols} symbols that represent no byte"
            )
