"""What a user names as input: files, globs, URLs that fsspec knows, standard input."""

import os
import sys
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import Any, BinaryIO, Iterator, List, Sequence

from fairseq_subword_ext.textio.files import STANDARD_STREAM


def is_url(name: str) -> bool:
    """Whether fsspec has to open it: ``s3://...``, ``hdfs://...``, ``zip://...::...``."""
    return "://" in name or "::" in name


def expand(names: Sequence[str]) -> List[str]:
    """Replaces globs by the files that they match, in sorted order.

    Raises:
        ValueError: where a glob matches nothing, or there is no input.
        ImportError: for a URL without fsspec.
    """
    found: List[str] = []
    for name in map(os.fspath, names):
        if is_url(name):
            if "*" not in name or "::" in name:  # a "?" may begin a URL's query
                found.append(name)
                continue
            files, path = fsspec_package().core.url_to_fs(name)
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
        raise ValueError("no input is given")
    return found


@contextmanager
def open_input(name: str) -> Iterator[BinaryIO]:
    """Opens a path, a URL or standard input for reading bytes."""
    if name == STANDARD_STREAM:
        yield sys.stdin.buffer
    elif is_url(name):
        with fsspec_package().open(name, "rb") as stream:
            yield stream
    else:
        with Path(name).open("rb") as stream:
            yield stream


def fsspec_package() -> Any:
    """The package fsspec.

    Raises:
        ImportError: saying how to install it.
    """
    try:
        import fsspec
    except ImportError as error:
        raise ImportError(
            'URLs need the package fsspec: pip install fsspec (or: pip install -e ".[cluster]")'
        ) from error
    return fsspec
