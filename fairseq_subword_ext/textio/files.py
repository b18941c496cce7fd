"""Reads and writes files: always UTF-8, and each output complete or not at all."""

import errno
import fcntl
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Dict, List, Optional, Set, Tuple, Union

from fairseq_subword_ext.textio.compression import compression_of
from fairseq_subword_ext.textio.encoding import check_encoding
from fairseq_subword_ext.textio.errors import LineError

PathLike = Union[str, "os.PathLike[str]"]

STANDARD_STREAM = "-"

_TEMPORARY_SUFFIX = ".tmp"
_TEMPORARY = re.compile(r"\.[a-z0-9_]{8}\.tmp$")  # what mkstemp appends to the name

# Disk full, quota exceeded, file size limit: the system does not say which file it was.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def naming(path: PathLike) -> Iterator[None]:
    """Adds the file name to a disk-full error."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM and error.filename is None:
            error.filename = os.fspath(path)
        raise


@contextmanager
def atomic_writer(path: PathLike) -> Iterator[BinaryIO]:
    """Opens ``path`` for writing bytes; the file appears complete when the block ends, or not at all.

    The bytes go to a temporary file next to the target, which is renamed at the end. ``-`` is
    standard output. A target that is not a regular file (a pipe, /dev/null) is written directly.

    Raises:
        OSError: If the folder is missing or not writable, or the disk is full.
    """
    if os.fspath(path) == STANDARD_STREAM:
        with naming("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.exists() and not target.is_file():
        # If it is a folder, the system refuses and names it.
        with naming(path), target.open("wb") as stream:
            yield stream
        return
    # A link stays a link: its target is replaced.
    target = Path(os.path.realpath(target))
    if not target.parent.is_dir():
        raise FileNotFoundError(2, "the folder to write to does not exist", str(target.parent))
    handle, temporary = _temporary_next_to(target)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            temporary.chmod(_mode_for(target))
            temporary.replace(target)  # while the lock is held
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in NO_ROOM and error.filename is None:
            error.filename = os.fspath(path)
        raise


def _temporary_next_to(target: Path) -> Tuple[int, Path]:
    """Creates a file that stays locked while its process lives: see :func:`remove_leftovers`."""
    while True:
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name}.", suffix=_TEMPORARY_SUFFIX, dir=target.parent
        )
        # Between the two calls another process may have removed it as a leftover.
        if _lock(handle) is not False and os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)


def _lock(handle: int) -> Optional[bool]:
    """Locks a file; False if another process holds the lock, None if the file system has no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError:
        return None


def remove_leftovers(targets: Iterable[Path]) -> int:
    """Removes temporary files that killed processes left next to files to be written.

    Files of running processes stay, whether on this machine or on another that shares the disk.

    Returns:
        The number of files removed.
    """
    names: Dict[Path, Set[str]] = {}
    for target in targets:
        names.setdefault(target.parent, set()).add(target.name)
    removed = 0
    for folder, wanted in names.items():
        for path in folder.glob(f".*{_TEMPORARY_SUFFIX}") if folder.is_dir() else ():
            if _TEMPORARY.sub("", path.name[1:]) in wanted and _TEMPORARY.search(path.name):
                removed += _remove_if_left(path)
    return removed


def _remove_if_left(path: Path) -> bool:
    try:
        with path.open("r+b") as stream:
            if not _lock(stream.fileno()):
                return False
            path.unlink()
            return True
    except OSError:  # another process was faster, or the file belongs to another user
        return False


def _mode_for(target: Path) -> int:
    """The permissions of the file replaced, or those that open() would have given a new one."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def atomic_text_writer(path: PathLike) -> Iterator[io.TextIOWrapper]:
    """Like :func:`atomic_writer`, for text: UTF-8, and ``\\n`` stays ``\\n``.

    Raises:
        OSError: If the folder is missing or not writable, or the disk is full.
    """
    with atomic_writer(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n", write_through=False)
        try:
            yield text
            text.flush()
        finally:
            text.detach()


@contextmanager
def binary_reader(path: PathLike) -> Iterator[BinaryIO]:
    """Opens ``path`` for reading bytes; ``-`` is standard input.

    Raises:
        OSError: If the file cannot be read.
    """
    if os.fspath(path) == STANDARD_STREAM:
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as stream:
        yield stream


def read_text_lines(path: PathLike) -> List[str]:
    """Reads a small text file, for example codes or a vocabulary, as lines without their ``\\n``.

    A line ends at ``\\n`` and nowhere else. A byte-order mark at the start and blank lines at the end are
    dropped.

    Raises:
        ValueError: If the file is not UTF-8; names file and line.
        OSError: If the file cannot be read.
    """
    with binary_reader(path) as stream:
        return decode_lines(stream.read(), path)


def decode_lines(data: bytes, path: PathLike) -> List[str]:
    """Like :func:`read_text_lines`, for bytes already read; ``path`` is for messages only."""
    check_encoding(data, os.fspath(path))
    form = compression_of(data)
    if form is not None:
        raise ValueError(f"{path}: this is compressed with {form}; decompress it first")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise LineError(
            f"byte 0x{data[error.start]:02X} at offset {error.start} is not UTF-8; all files must be "
            "UTF-8 text",
            number,
            os.fspath(path),
        ) from error
    lines = (text[1:] if text.startswith("\ufeff") else text).split("\n")
    while lines and not lines[-1].strip("\r "):
        lines.pop()
    return lines


def shown(line: str, width: int = 60) -> str:
    """Quotes a line for a message: escaped, and truncated if it is long."""
    return repr(line if len(line) <= width else line[:width] + "...")
