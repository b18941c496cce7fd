"""Parallel text as it is released: two files of which the lines belong together."""

import gzip
import zlib
from itertools import zip_longest
from pathlib import Path
from typing import Callable, Iterator, Sequence, Tuple

Pair = Tuple[str, str]

_NOT_WHOLE = (gzip.BadGzipFile, EOFError, zlib.error)


def plain(line: str) -> str:
    """The words, one space between them: tabs, carriage returns, U+2028, U+3000 and the like are spaces."""
    return " ".join(line.split())


def unbroken(line: str) -> str:
    """The line as it is, but without a carriage return, at which some readers would split it."""
    return line.removesuffix("\r").replace("\r", " ")


def read_text(path: Path) -> str:
    """The whole of a file.

    Raises:
        ValueError: If the text is not UTF-8.
        OSError: If it cannot be read.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8") from error


def read_lines(path: Path) -> Iterator[str]:
    """Yields the lines of a file or a .gz, which end at a newline and nowhere else.

    Raises:
        ValueError: If the text is not UTF-8 or a .gz is truncated; the message has path and line.
        OSError: If it cannot be read.
    """
    number = 0
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as stream:
        try:
            for line in stream:
                number += 1
                yield line.decode("utf-8").removesuffix("\n")
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}:{number}: byte {error.start} is not UTF-8") from error
        except _NOT_WHOLE as error:
            raise ValueError(
                f"{path}: not a complete gzip file ({error}); fetch it again"
            ) from error


def read_parallel(
    source: Path, target: Path, clean: Callable[[str], str] = plain
) -> Iterator[Pair]:
    """Yields the pairs of two parallel files; empty lines stay.

    Args:
        source, target: the files.
        clean: what is done to each line.

    Raises:
        ValueError: If one has fewer lines than the other, at the end; and as :func:`read_lines`.
        OSError: If one cannot be read.
    """
    lines = [0, 0]
    for pair in zip_longest(read_lines(source), read_lines(target)):
        lines = [count + (line is not None) for count, line in zip(lines, pair)]
        if None not in pair:
            yield clean(pair[0]), clean(pair[1])
    if lines[0] != lines[1]:
        raise ValueError(
            f"{source} has {lines[0]} lines, {target} has {lines[1]}: they belong to different releases, "
            "or are incomplete"
        )


def find_file(folders: Sequence[Path], names: Sequence[str], archive: str) -> Path:
    """Finds a file by one of its names, anywhere below one of the folders.

    Args:
        folders: searched in this order.
        names: tried in this order.
        archive: where it should have come from, for the message.

    Raises:
        ValueError: If there is none.
    """
    for folder in folders:
        for name in names:
            for path in sorted(folder.rglob(name)):
                return path
    raise ValueError(
        f"no {' or '.join(names)} in {' or '.join(map(str, folders))}: it is in {archive}"
    )
