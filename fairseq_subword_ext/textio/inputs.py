"""What a user names as input: files, globs, URLs that fsspec knows, standard input."""

import os
import sys
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import Any, BinaryIO, Callable, Iterator, List, Sequence, Tuple, Union

from fairseq_subword_ext.textio.compression import decompressing_reader
from fairseq_subword_ext.textio.encoding import BYTE_ORDER_MARK, HEAD_SIZE, check_encoding
from fairseq_subword_ext.textio.files import STANDARD_STREAM, PathLike

# A path, a URL, ``-`` for standard input, or a stream that is open already.
Input = Union[PathLike, BinaryIO]


def is_url(name: str) -> bool:
    """Whether fsspec has to open it: ``s3://...``, ``hdfs://...``, ``zip://...::...``."""
    return "://" in name or "::" in name


def expand(names: Sequence[str]) -> List[str]:
    """Replaces globs by the files that they match, in sorted order.

    Raises:
        ValueError: If a glob matches nothing, or there is no input.
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


def shown_name(name: Input) -> str:
    """What messages call an input."""
    if not isinstance(name, (str, os.PathLike)):
        own = getattr(name, "name", None)
        return own if isinstance(own, str) else "stream"
    return "standard input" if os.fspath(name) == STANDARD_STREAM else os.fspath(name)


@contextmanager
def open_input(name: Input) -> Iterator[BinaryIO]:
    """Opens a path, a URL or standard input for reading bytes; an open stream is given back."""
    if not isinstance(name, (str, os.PathLike)):
        yield name
        return
    name = os.fspath(name)
    if name == STANDARD_STREAM:
        yield sys.stdin.buffer
    elif is_url(name):
        with fsspec_package().open(name, "rb") as stream:
            yield stream
    else:
        with Path(name).open("rb") as stream:
            yield stream


@contextmanager
def open_text(
    name: Input, progress: Callable[[int], None] = lambda size: None, whole: bool = True
) -> Iterator[Tuple[Callable[[int], bytes], bool]]:
    """Opens an input as text: decompressed where its content says so, and not UTF-16.

    Args:
        name: as for :func:`open_input`; a stream has to stand at its start.
        progress: called with the number of bytes after each read, as they are on the disk.
        whole: wait for as many bytes as are asked for, not only for what has arrived.

    Yields:
        a function that reads so many bytes at most, and none at the end only; and whether the text
        begins with a byte-order mark, which is part of what is read.

    Raises:
        ValueError: If the text is UTF-16, or, while reading, if compressed data is broken.
        ImportError: If Zstandard's package is missing.
        OSError: If the input cannot be read.
    """
    with open_input(name) as stream:
        read_stream = stream.read if whole else getattr(stream, "read1", stream.read)

        def read_raw(size: int) -> bytes:
            block = read_stream(size)
            progress(len(block))
            return block

        shown = shown_name(name)
        read_text = decompressing_reader(read_raw, shown)
        head = read_text(HEAD_SIZE)
        # A reader of lines as they arrive waits for more only where a mark may have been cut.
        while head and head != BYTE_ORDER_MARK and BYTE_ORDER_MARK.startswith(head):
            if not (more := read_text(HEAD_SIZE)):
                break
            head += more
        check_encoding(head, shown)

        def read(size: int) -> bytes:
            nonlocal head
            if not head:
                return read_text(size)
            block, head = head[:size], head[size:]
            return block

        yield read, head.startswith(BYTE_ORDER_MARK)


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
