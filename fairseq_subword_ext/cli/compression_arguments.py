"""--compression and --compression-level: how a command writes its output."""

import argparse
from collections.abc import Iterable
from typing import Optional

from fairseq_subword_ext.textio.compressed_output import OUTPUTS, PlainOutput
from fairseq_subword_ext.textio.compression import split_suffix

_NONE = "none"


def add_compression_arguments(parser: argparse.ArgumentParser, default: str) -> None:
    """The two flags; ``default`` says what decides where the first is not given."""
    parser.add_argument(
        "--compression", choices=[_NONE, *(suffix[1:] for suffix in OUTPUTS if suffix)],
        help=f"of the output (default: {default})",
    )  # fmt: skip
    parser.add_argument(
        "--compression-level", type=int, metavar="N",
        help="gz and xz 0 to 9 (default 6), zst 1 to 19 (default 3)",
    )  # fmt: skip


def compression_suffix(args: argparse.Namespace) -> Optional[str]:
    """The suffix that --compression means: .gz, .xz, .zst, or empty; None where it is not given."""
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
        ImportError: where a format's package is missing.
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
        ImportError: where a package is missing.
    """
    suffix = compression_suffix(args)
    suffix = split_suffix(name)[1] if suffix is None else suffix
    check_level(args, [suffix])
    return OUTPUTS[suffix](args.compression_level) if suffix else None
