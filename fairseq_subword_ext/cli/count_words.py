"""Counts the words of text of any size: 'word count' on each line, most frequent first.

The output is what learn-bpe --dict-input takes, ours and subword-nmt's. Words with equal counts are sorted
by their UTF-8 bytes, so that the output depends on the text alone, not on the order of the files, threads,
memory or machines. Files compressed with gzip, xz or Zstandard are read directly.
"""

import argparse
import re
from contextlib import contextmanager
from itertools import islice

from fairseq_subword_ext.cli.common import (
    add_input_arguments,
    add_output_argument,
    add_workers_argument,
    log,
    progress_bar,
    workers,
)
from fairseq_subword_ext.counting.local import SPLIT_SIZE, counted_here
from fairseq_subword_ext.textio.encoding import byte_order_mark_warning
from fairseq_subword_ext.textio.files import STANDARD_STREAM, atomic_writer

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_LEAST_MEMORY = 64 << 20
# For Python, this package and the blocks being read.
_OWN_MEMORY = 40 << 20


MEMORY_ADVICE = "--max-memory 4G uses no more than that and spills the rest to disk"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the input, the resources to use, and the cluster to use instead of this machine."""
    add_input_arguments(parser)
    add_output_argument(parser, "word counts")
    add_workers_argument(parser)
    parser.add_argument(
        "--min-word-count", type=int, default=1, metavar="N",
        help="write only words that occur at least N times (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--max-memory", type=byte_size, metavar="SIZE",
        help="memory to use, such as 500M or 8G, at least 64M; what does not fit is spilled to disk, and "
        "the result is the same (default: as much as the words need)",
    )  # fmt: skip
    parser.add_argument(
        "--temporary-folder", metavar="DIR",
        help="folder to spill to; nothing is left there (default: TMPDIR, or the system's)",
    )  # fmt: skip
    parser.add_argument(
        "--scheduler", metavar="ADDRESS",
        help="count on a Dask cluster: the address of its scheduler (tcp://HOST:PORT), or 'local' for "
        "--num-workers processes on this machine",
    )  # fmt: skip
    parser.add_argument(
        "--split-size", type=byte_size, metavar="SIZE",
        help="bytes per task of an uncompressed file (default: 64M; on a cluster more for corpora above "
        "64G)",
    )  # fmt: skip


def byte_size(argument: str) -> int:
    """Reads a number of bytes, with K, M, G or T for powers of 1,024."""
    found = re.fullmatch(r"([0-9]+)([KMGT]?)(i?B)?", argument.strip(), flags=re.IGNORECASE)
    if found is None or int(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"expected a size like 500M or 8G, found {argument!r}")
    return int(found[1]) * _UNITS[found[2].upper()]


def run(args: argparse.Namespace) -> None:
    """Counts the words and writes the counts."""
    if args.min_word_count < 1:
        raise ValueError(f"--min-word-count {args.min_word_count}: expected 1 or more")
    if args.input.count(STANDARD_STREAM) > 1:
        raise ValueError("standard input can be read only once: give one '-'")
    types = 0
    with _counted(args) as (counts, totals), atomic_writer(args.output) as target:
        lines = (b"%b %d\n" % entry for entry in counts if entry[1] >= args.min_word_count)
        while chunk := list(islice(lines, 10_000)):
            target.writelines(chunk)
            types += len(chunk)
    log(f"{types} word types, {totals['tokens']} word tokens")
    if totals["carriage_return_ends"]:
        log(f"{totals['carriage_return_ends']} lines end in \\r\\n; the \\r is not part of a word")
    if totals["byte_order_marks"]:
        log(byte_order_mark_warning(f"{totals['byte_order_marks']} of the texts begin"))
    if totals["lone_carriage_returns"]:
        log(f"{totals['lone_carriage_returns']} carriage returns inside lines were read as spaces")


@contextmanager
def _counted(args: argparse.Namespace):
    if args.scheduler is not None:
        if args.max_memory is not None:
            raise ValueError(
                "--max-memory applies to one machine: on a cluster, Dask limits the memory of each worker"
            )
        from fairseq_subword_ext.counting.cluster import counted_on_cluster

        with counted_on_cluster(
            args.input,
            args.scheduler,
            workers(args),
            args.carriage_return,
            args.split_size,
            args.temporary_folder,
        ) as counted:
            yield counted
        return
    limit = None
    if args.max_memory is not None:
        if args.max_memory < _LEAST_MEMORY:
            raise ValueError(f"--max-memory {args.max_memory}: expected 64M or more")
        limit = args.max_memory - _OWN_MEMORY
    with (
        progress_bar("counting", unit="B", unit_scale=True) as bar,
        counted_here(
            args.input,
            workers(args),
            args.carriage_return,
            limit,
            args.temporary_folder,
            args.split_size or SPLIT_SIZE,
            bar.update,
        ) as counted,
    ):
        yield counted
