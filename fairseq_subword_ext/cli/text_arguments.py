"""The flags of the commands that convert text: input, output, threads, compression, many files."""

import argparse
from collections.abc import Iterable
from typing import Optional

from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_output_argument,
    add_workers_argument,
)
from fairseq_subword_ext.textio.compressed_output import OUTPUTS, PlainOutput
from fairseq_subword_ext.textio.compression import split_suffix
from fairseq_subword_ext.textio.files import STANDARD_STREAM

_NONE = "none"


def add_text_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """Input, output, threads, compression, and many files at once; ``what`` is the output."""
    add_input_arguments(parser)
    add_output_argument(parser, what)
    add_workers_argument(parser)
    _add_compression_arguments(parser)
    _add_folder_arguments(parser)


def _add_compression_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--compression", choices=[_NONE, *(suffix[1:] for suffix in OUTPUTS if suffix)],
        help="of the output (default: by the suffix of -o; with --output-dir, each input's own)",
    )  # fmt: skip
    parser.add_argument(
        "--compression-level", type=int, metavar="N",
        help="gz and xz 0 to 9 (default 6), zst 1 to 19 (default 3)",
    )  # fmt: skip


def compression_suffix(args: argparse.Namespace) -> Optional[str]:
    """The suffix that --compression means: .gz, .xz, .zst, or empty; None if it is not given."""
    if args.compression is None:
        return None
    return "" if args.compression == _NONE else f".{args.compression}"


def check_level(args: argparse.Namespace, suffixes: Iterable[str]) -> None:
    """Refuses a level that a format has not, before anything is written.

    Args:
        args: the command's.
        suffixes: those of compression that its outputs have; empty for plain text.

    Raises:
        ValueError: also for a level where nothing is compressed.
        ImportError: If a format's package is missing.
    """
    used = sorted({suffix for suffix in suffixes if suffix})
    if args.compression_level is not None and not used:
        raise ValueError("--compression-level: no output is compressed")
    for suffix in used:
        OUTPUTS[suffix](args.compression_level)


def output_of(args: argparse.Namespace, name: str) -> Optional[PlainOutput]:
    """How to write a file of this name; None for plain text.

    Raises:
        ValueError: for a level of compression that there is not.
        ImportError: If a package is missing.
    """
    suffix = compression_suffix(args)
    suffix = split_suffix(name)[1] if suffix is None else suffix
    check_level(args, [suffix])
    return OUTPUTS[suffix](args.compression_level) if suffix else None


def _add_folder_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("many files, each to a file of its own")
    group.add_argument(
        "--output-dir", metavar="DIR",
        help="write each input to a file of its name in this folder, instead of all to one (-o)",
    )  # fmt: skip
    group.add_argument(
        "--suffix", default="", metavar="TEXT",
        help="put behind the names there, before .gz, .xz or .zst",
    )  # fmt: skip
    group.add_argument(
        "--relative-to", metavar="DIR",
        help="keep the inputs' folders below this one (default: the files' names alone)",
    )  # fmt: skip
    group.add_argument(
        "--resume", action="store_true",
        help="leave files that are there whole, from the same input and by the same settings",
    )  # fmt: skip
    group.add_argument(
        "--keep-going", action="store_true",
        help="if a file cannot be read, go on with the others; the exit status is 1 all the same",
    )  # fmt: skip


def check_text_arguments(args: argparse.Namespace) -> None:
    """Refuses flags of a folder without one, and the other way round.

    Raises:
        ValueError: naming them.
    """
    if args.output_dir is not None:
        if args.output != STANDARD_STREAM:
            raise ValueError("-o is one file and --output-dir a folder: give one of them")
        return
    given = {
        "--suffix": args.suffix,
        "--relative-to": args.relative_to is not None,
        "--resume": args.resume,
        "--keep-going": args.keep_going,
    }
    alone = [flag for flag, is_given in given.items() if is_given]
    if alone:
        raise ValueError(f"{', '.join(alone)} goes with --output-dir DIR")
