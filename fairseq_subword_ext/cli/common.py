"""Flags that several commands have, and messages on standard error."""

import argparse
import os
import sys
from typing import Any, Optional

from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.files import STANDARD_STREAM
from fairseq_subword_ext.textio.lines import CARRIAGE_RETURNS
from fairseq_subword_ext.textio.output_files import OutputFile
from fairseq_subword_ext.textio.pipeline import available_processors
from fairseq_subword_ext.textio.tables import FORMATS

# Asking for more threads than this is a mistake.
_MOST_WORKERS = 1 << 14


def add_input_arguments(parser: argparse.ArgumentParser, required: bool = False) -> None:
    """Adds -i and --carriage-return; several files are read as one text, in the order given."""
    parser.add_argument(
        "-i", "--input", nargs="+", metavar="FILE", default=[STANDARD_STREAM], required=required,
        help="input text (default: standard input); several files are read as one text",
    )  # fmt: skip
    parser.add_argument(
        "--carriage-return", choices=CARRIAGE_RETURNS, default="error",
        help="what to do with a lone carriage return inside a line, which misaligns Fairseq's readers: "
        "stop, or replace it with a space (default: %(default)s)",
    )  # fmt: skip


def add_output_argument(parser: argparse.ArgumentParser, what: str, required: bool = False) -> None:
    """Adds -o, a file that is written whole or not at all."""
    parser.add_argument(
        "-o", "--output", metavar="FILE", default=STANDARD_STREAM, required=required, type=OutputFile,
        help=what if required else f"{what} (default: standard output)",
    )  # fmt: skip


def add_table_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds --format, for the tables on standard output, and --json."""
    parser.add_argument(
        "--format", choices=FORMATS, default="text",
        help="format of the tables on standard output (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--json", metavar="FILE", type=OutputFile, help="write all measurements as JSON"
    )


def text_argument(argument: str) -> str:
    """Decodes an argument as UTF-8, not by the locale as Python does.

    Raises:
        ValueError: If the bytes are not UTF-8; argparse turns it into its own message.
    """
    return os.fsencode(argument).decode("utf-8")


def add_separator_argument(parser: argparse.ArgumentParser, *names: str) -> None:
    """Adds --separator; ``names`` are further names of the flag."""
    parser.add_argument(
        *names, "--separator", metavar="STRING", default=SEPARATOR, type=text_argument,
        help="appended to every piece that does not end its word (default: '%(default)s')",
    )  # fmt: skip


def add_workers_argument(parser: argparse.ArgumentParser) -> None:
    """Adds --num-workers; the result never depends on it."""
    parser.add_argument(
        "--num-workers", type=int, default=-1, metavar="N",
        help="number of threads; -1 for one per processor (default: %(default)s). The result does not "
        "depend on it",
    )  # fmt: skip


def workers(args: argparse.Namespace) -> int:
    """The number of threads that --num-workers asks for.

    Raises:
        ValueError: If it is neither -1 nor a number of threads.
    """
    if args.num_workers == -1:
        return available_processors()
    if not 1 <= args.num_workers <= _MOST_WORKERS:
        raise ValueError(
            f"--num-workers {args.num_workers}: expected a number from 1 to {_MOST_WORKERS}, or -1"
        )
    return args.num_workers


def log(message: str) -> None:
    """Prints a message to standard error, apart from the command's output."""
    print(message, file=sys.stderr, flush=True)


def print_signature(signature: str) -> None:
    """Logs the signature, the last line of every command that has one."""
    log(f"signature: {signature}")


def progress_bar(description: str, total: Optional[int] = None, **options: Any):
    """A tqdm bar on standard error if that is a terminal; otherwise a bar that shows nothing."""
    if not sys.stderr.isatty():
        return _NoBar()
    from tqdm import tqdm

    return tqdm(desc=description, total=total, file=sys.stderr, leave=False, **options)


class _NoBar:
    """A progress bar that shows nothing, and spares the import of tqdm."""

    n = 0

    def __enter__(self) -> "_NoBar":
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def update(self, done: int = 1) -> None:
        self.n += done

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        pass

    def close(self) -> None:
        pass
