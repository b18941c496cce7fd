"""The commands that convert text line by line: apply-bpe, restore and segment-baseline.

Here are their flags for input, output, threads, compression and many files, and the job that they run over
all inputs as one text or, in :mod:`.folder_job`, file by file.
"""

import argparse
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Callable, List, Optional

from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_output_argument,
    add_workers_argument,
    log,
    print_signature,
    workers,
)
from fairseq_subword_ext.cli.joined_input import JoinedInput
from fairseq_subword_ext.cli.split_report import SplitReport
from fairseq_subword_ext.textio.block_stream import BlockCoder, by_threads, segment_stream
from fairseq_subword_ext.textio.compressed_output import OUTPUTS, PlainOutput
from fairseq_subword_ext.textio.compression import split_suffix
from fairseq_subword_ext.textio.files import STANDARD_STREAM, atomic_writer
from fairseq_subword_ext.textio.inputs import expand

_NONE = "none"

# Returns the first lines of a text.
FirstLines = Callable[[], List[str]]


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


@dataclass(frozen=True)
class TextJob:
    """A way to convert text line by line, set up from a command's flags.

    Attributes:
        coder: makes the coder for a text from its name, its first lines and a seed.
        done: what happens to a text, as a participle for messages.
        signature: the line to quote with results; None for none.
        files: the options that name files whose content affects the output.
        ignored: the options that do not affect the output, besides those that all commands share.
        split_separator: as :attr:`.Codec.split_separator`.
        draws: whether the output depends on the seed.
        peeks: the number of non-blank first lines that the coder needs.
    """

    coder: Callable[[str, FirstLines, Optional[int]], BlockCoder]
    done: str = "segmented"
    signature: Optional[str] = None
    files: Sequence[str] = ()
    ignored: Sequence[str] = ()
    split_separator: Optional[str] = None
    draws: bool = False
    peeks: int = 0

    def report(self) -> SplitReport:
        """A new report on text that breaks apart into characters."""
        return SplitReport(self.split_separator)


def drawn_seed(args: argparse.Namespace, job: TextJob) -> Optional[int]:
    """The seed of --seed; if it is not given and the job needs one, a seed is drawn and logged."""
    seed = getattr(args, "seed", None)
    if job.draws and seed is None:
        seed = int.from_bytes(os.urandom(4), "little")
        log(f"dropout: --seed {seed} reproduces this segmentation")
    return seed


def run_job(args: argparse.Namespace, job: TextJob) -> None:
    """Converts all inputs as one text, or each into its own file.

    Raises:
        ValueError: If the text or the flags cannot be used.
        OSError: If a file cannot be read or written.
    """
    if args.output_dir is not None:
        from fairseq_subword_ext.cli.folder_job import convert_into_folder

        convert_into_folder(args, job)
    else:
        _convert_joined(args, job)
    if job.signature is not None:
        print_signature(job.signature)


def _convert_joined(args: argparse.Namespace, job: TextJob) -> None:
    seed = drawn_seed(args, job)
    report = job.report()
    with (
        atomic_writer(args.output) as target,
        JoinedInput(expand(args.input), job.done) as source,
    ):
        try:
            lines = source.first_lines(job.peeks) if job.peeks else []
            segment_stream(
                source,
                target,
                job.coder(source.name, lambda: lines, seed),
                by_threads(workers(args)),
                output_of(args, args.output),
                report.see,
            )
        except ValueError as error:
            raise source.located(error) from None
    source.report_carriage_returns()
    warning = report.warning()
    if warning:
        log(warning)
