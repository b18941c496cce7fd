"""Flags of the commands that convert text: input, output, threads, compression and many files."""

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
    """Adds input, output, threads, compression and many files; ``what`` describes the output."""
    add_input_arguments(parser)
    add_output_argument(parser, what)
    add_workers_argument(parser)
    _add_compression_arguments(parser)
    _add_folder_arguments(parser)


def _add_compression_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--compression", choices=[_NONE, *(suffix[1:] for suffix in OUTPUTS if suffix)],
        help="compression of the output (default: by the suffix of -o; with --output-dir, as each input)",
    )  # fmt: skip
    parser.add_argument(
        "--compression-level", type=int, metavar="N",
        help="level: 0 to 9 for gz and xz (default 6), 1 to 19 for zst (default 3)",
    )  # fmt: skip


def compression_suffix(args: argparse.Namespace) -> Optional[str]:
    """The suffix for --compression: .gz, .xz, .zst, or empty; None if the flag is not given."""
    if args.compression is None:
        return None
    return "" if args.compression == _NONE else f".{args.compression}"


def check_level(args: argparse.Namespace, suffixes: Iterable[str]) -> None:
    """Refuses a level that a format does not have, before anything is written.

    Args:
        args: the command's arguments.
        suffixes: the compression suffixes of its outputs; empty for plain text.

    Raises:
        ValueError: If the level is out of range, or no output is compressed.
        ImportError: If a format's package is missing.
    """
    used = sorted({suffix for suffix in suffixes if suffix})
    if args.compression_level is not None and not used:
        raise ValueError("--compression-level: no output is compressed")
    for suffix in used:
        OUTPUTS[suffix](args.compression_level)


def output_of(args: argparse.Namespace, name: str) -> Optional[PlainOutput]:
    """The compression for an output of this name; None for plain text.

    Raises:
        ValueError: If the format does not have this level.
        ImportError: If a package is missing.
    """
    suffix = compression_suffix(args)
    suffix = split_suffix(name)[1] if suffix is None else suffix
    check_level(args, [suffix])
    return OUTPUTS[suffix](args.compression_level) if suffix else None


def _add_folder_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("many files, each into its own file")
    group.add_argument(
        "--output-dir", metavar="DIR",
        help="write each input to a file of the same name in this folder, instead of all to one (-o)",
    )  # fmt: skip
    group.add_argument(
        "--suffix", default="", metavar="TEXT",
        help="append to those names, before .gz, .xz or .zst",
    )  # fmt: skip
    group.add_argument(
        "--relative-to", metavar="DIR",
        help="keep the inputs' folders below this one (default: file names only)",
    )  # fmt: skip
    group.add_argument(
        "--resume", action="store_true",
        help="skip outputs that are complete, from the same input and with the same settings",
    )  # fmt: skip
    group.add_argument(
        "--keep-going", action="store_true",
        help="if a file cannot be read, continue with the others; the exit status is still 1",
    )  # fmt: skip


def check_text_arguments(args: argparse.Namespace) -> None:
    """Refuses flags of --output-dir without it, and -o with it.

    Raises:
        ValueError: If such a flag is given; names it.
    """
    if args.output_dir is not None:
        if args.output != STANDARD_STREAM:
            raise ValueError("-o is one file and --output-dir a folder: give only one of them")
        return
    given = {
        "--suffix": args.suffix,
        "--relative-to": args.relative_to is not None,
        "--resume": args.resume,
        "--keep-going": args.keep_going,
    }
    alone = [flag for flag, is_given in given.items() if is_given]
    if alone:
        raise ValueError(f"{', '.join(alone)} needs --output-dir DIR")
