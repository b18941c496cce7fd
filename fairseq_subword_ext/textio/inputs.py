"""Resolves and opens inputs: files, globs, fsspec URLs, standard input."""

import os
import sys
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import BinaryIO, Iterator, List, Sequence, Union

from fairseq_subword_ext.textio.extras import import_extra
from fairseq_subword_ext.textio.files import STANDARD_STREAM, PathLike

# A path, a URL, ``-`` for standard input, or an open stream.
Input = Union[PathLike, BinaryIO]


def is_url(name: str) -> bool:
    """Whether fsspec must open it: ``s3://...``, ``hdfs://...``, ``zip://...::...``."""
    return "://" in name or "::" in name


def expand(names: Sequence[str]) -> List[str]:
    """Replaces globs with the files they match, in sorted order.

    Raises:
        ValueError: If a glob matches nothing, or there is no input.
        ImportError: If there is a URL and fsspec is missing.
    """
    found: List[str] = []
    for name in map(os.fspath, names):
        if is_url(name):
            if "*" not in name or "::" in name:  # a "?" may start a URL's query
                found.append(name)
                continue
            files, path = import_extra("fsspec", "cluster").core.url_to_fs(name)
            matches = [files.unstrip_protocol(match) for match in files.glob(path)]
        elif has_magic(name) and not Path(name).exists():
            paths = glob(name, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
            matches = [path for path in paths if not Path(path).is_dir()]
        else:
            found.append(name)
            continue
        if not matches:
            raise ValueError(f"{name}: no file matches")
        found += sorted(matches)
    if not found:
        raise ValueError("no input given")
    return found


def shown_name(name: Input) -> str:
    """The name of an input for messages."""
    if not isinstance(name, (str, os.PathLike)):
        own = getattr(name, "name", None)
        return own if isinstance(own, str) else "stream"
    return "standard input" if os.fspath(name) == STANDARD_STREAM else os.fspath(name)


@contextmanager
def open_input(name: Input) -> Iterator[BinaryIO]:
    """Opens a path, a URL or standard input for reading bytes; an open stream is returned as is."""
    if not isinstance(name, (str, os.PathLike)):
        yield name
        return
    name = os.fspath(name)
    if name == STANDARD_STREAM:
        yield sys.stdin.buffer
    elif is_url(name):
        with import_extra("fsspec", "cluster").open(name, "rb") as stream:
            yield stream
    else:
        with Path(name).open("rb") as stream:
            yield stream
