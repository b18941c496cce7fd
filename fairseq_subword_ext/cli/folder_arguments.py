"""--output-dir, and what goes with it."""

import argparse

from fairseq_subword_ext.textio.files import STANDARD_STREAM


def add_folder_arguments(parser: argparse.ArgumentParser) -> None:
    """--output-dir and what goes with it."""
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
        help="where a file cannot be read, go on with the others; the exit status is 1 all the same",
    )  # fmt: skip


def check_folder_arguments(args: argparse.Namespace) -> None:
    """Refuses options that do not go together.

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
