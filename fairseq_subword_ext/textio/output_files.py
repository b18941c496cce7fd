"""Rejects outputs that cannot be written or would overwrite an input, before any work is done."""

import os
import stat
import sys
from collections.abc import Iterable
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

from fairseq_subword_ext.textio.files import STANDARD_STREAM, PathLike

# Equal for two names of one file: device and inode, or the path if the file does not exist yet.
Identity = Union[Tuple[int, int], str]


class OutputFile(str):
    """The type of command-line arguments that name an output, which is checked before any work."""


def check_outputs(outputs: Iterable[PathLike], inputs: Iterable[PathLike] = ()) -> None:
    """Checks all files that a command will write.

    Args:
        outputs: the files; ``-`` is standard output.
        inputs: what the command reads; names that are not files are ignored, and ``-`` is standard input.

    Raises:
        ValueError: If an output is also an input, under the same path, another path or a link, or is
            given twice.
        FileNotFoundError: If an output's folder does not exist.
        IsADirectoryError: If an output is a folder.
        PermissionError: If no file can be created in the folder.
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
                f"{name}: this output would overwrite the input {what}; choose another file"
            )
        if identity in written:
            raise ValueError(
                f"{written[identity]} and {name} are the same file; choose two outputs"
            )
        written[identity] = name


def _check_place(name: str) -> None:
    if name == STANDARD_STREAM:
        return
    if Path(name).is_dir():
        raise IsADirectoryError(21, "Is a directory; an output must be a file", name)
    folder = Path(os.path.realpath(name)).parent
    if not folder.is_dir():
        raise FileNotFoundError(2, "the folder to write to does not exist", str(folder))
    # A regular file is replaced by a new one; pipes and devices are written to.
    is_replaced = Path(name).is_file() or not Path(name).exists()
    if is_replaced and not os.access(folder, os.W_OK):
        raise PermissionError(13, "Permission denied", str(folder))


def identity_of(path: PathLike, stream: Any = None) -> Optional[Identity]:
    """Identifies the file that a path names; None if it is not, and will not become, a regular file.

    Args:
        path: the path.
        stream: the stream that ``-`` stands for.
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
    """Selects the existing files from words, each a path, a glob, ``-`` or something else."""
    found: List[str] = []
    for name in names:
        if name == STANDARD_STREAM or os.path.lexists(name):
            found.append(name)
        elif has_magic(name):
            found += glob(name, recursive=True)  # noqa: PTH207
    return found
