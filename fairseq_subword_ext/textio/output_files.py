"""Refusing outputs that cannot be written, or would destroy an input, before any work is done."""

import os
import stat
import sys
from collections.abc import Iterable
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

from fairseq_subword_ext.textio.files import STANDARD_STREAM, PathLike

# What tells that two names are one file: device and inode, or the path where there is no file yet.
Identity = Union[Tuple[int, int], str]


class OutputFile(str):
    """The type of command-line arguments that name a file to be written, to be checked before any work."""


def check_outputs(outputs: Iterable[PathLike], inputs: Iterable[PathLike] = ()) -> None:
    """Checks all files that a command will write, however they are named.

    Args:
        outputs: the files; ``-`` is standard output.
        inputs: what it reads; what is no file is ignored, and ``-`` is standard input.

    Raises:
        ValueError: If an output is an input, by the same or another path or link, or is given twice.
        FileNotFoundError: If an output's folder does not exist.
        IsADirectoryError: If an output is a folder.
        PermissionError: If no file can be made in the folder.
    """
    read: Dict[Identity, str] = {}
    for path in inputs:
        identity = identity_of(path, sys.stdin)
        if isinstance(identity, tuple):
            read.setdefault(identity, os.fspath(path))
    written: Dict[Identity, str] = {}
    for path in outputs:
        name = os.fspath(path)
        _check_place(name)
        identity = identity_of(name, sys.stdout)
        if identity is None:
            continue
        if identity in read:
            what = "standard input" if read[identity] == STANDARD_STREAM else read[identity]
            raise ValueError(
                f"{name}: this output would replace the input {what}; name another file"
            )
        if identity in written:
            raise ValueError(f"{written[identity]} and {name} are the same file; name two outputs")
        written[identity] = name


def _check_place(name: str) -> None:
    if name == STANDARD_STREAM:
        return
    if Path(name).is_dir():
        raise IsADirectoryError(21, "Is a directory; an output has to be a file", name)
    folder = Path(os.path.realpath(name)).parent
    if not folder.is_dir():
        raise FileNotFoundError(2, "the folder to write to does not exist", str(folder))
    # A file is replaced by another one; pipes and devices are written to.
    is_replaced = Path(name).is_file() or not Path(name).exists()
    if is_replaced and not os.access(folder, os.W_OK):
        raise PermissionError(13, "Permission denied", str(folder))


def identity_of(path: PathLike, stream: Any = None) -> Optional[Identity]:
    """What a path names; None for what is no regular file and will not become one.

    Args:
        path: the path.
        stream: what ``-`` stands for.
    """
    name = os.fspath(path)
    try:
        found = os.fstat(stream.fileno()) if name == STANDARD_STREAM else Path(name).stat()
    except FileNotFoundError:
        return os.path.realpath(name)
    except (OSError, ValueError, AttributeError):  # a stream may have no file at all
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def existing(names: Iterable[str]) -> List[str]:
    """The files among words, any of which may also be a glob, ``-``, or something else."""
    found: List[str] = []
    for name in names:
        if name == STANDARD_STREAM or os.path.lexists(name):
            found.append(name)
        elif has_magic(name):
            found += glob(name, recursive=True)  # noqa: PTH207
    return found
