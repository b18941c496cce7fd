"""Where the output of each of many inputs goes."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional

from fairseq_subword_ext.textio.compression import split_suffix
from fairseq_subword_ext.textio.files import STANDARD_STREAM, PathLike
from fairseq_subword_ext.textio.output_files import identity_of


@dataclass(frozen=True)
class NamedOutput:
    """An input and what becomes of it.

    Attributes:
        source: the input.
        text: its name below the output folder, without a suffix of compression; with ``/`` everywhere.
        name: the output's name there.
        compression: of the output: ``.gz``, ``.xz``, ``.zst`` or empty.
    """

    source: Path
    text: str
    name: str
    compression: str


def name_outputs(
    sources: Sequence[str],
    folder: PathLike,
    relative_to: Optional[PathLike] = None,
    suffix: str = "",
    compression: Optional[str] = None,
    kept: Sequence[PathLike] = (),
) -> List[NamedOutput]:
    """Gives each input a name below the output folder: its own, with a suffix.

    Args:
        sources: regular files.
        folder: for the output.
        relative_to: keep the folders below this one; None for the file's name alone.
        suffix: put behind the name, before that of compression.
        compression: of all outputs (``.gz``, ``.xz``, ``.zst`` or empty); None for that which each
            input's name has.
        kept: other files that no output may replace.

    Raises:
        ValueError: If two inputs would get one name, where an output would replace an input, and for
            what is no regular file or does not lie below ``relative_to``.
        OSError: If an input is missing.
    """
    if "/" in suffix:
        raise ValueError(f"--suffix {suffix}: expected the end of a file's name, without a /")
    named: Dict[str, NamedOutput] = {}
    for source in sources:
        output = _named(source, relative_to, suffix, compression)
        other = named.setdefault(output.name, output)
        if other is not output:
            raise ValueError(
                f"{other.source} and {source} would both become {output.name} in {folder}: give "
                "--relative-to DIR to keep their folders below DIR, or take them in two calls"
            )
    sources_and_kept = [*(output.source for output in named.values()), *kept]
    read = {identity_of(path): path for path in sources_and_kept}
    read.pop(None, None)  # pipes and the like
    for output in named.values():
        replaced = read.get(identity_of(Path(folder, output.name)))
        if replaced is not None:
            raise ValueError(
                f"{output.source}: its output would replace the input {replaced}; choose another "
                "--output-dir, or a --suffix"
            )
    return list(named.values())


def _named(
    source: str, relative_to: Optional[PathLike], suffix: str, compression: Optional[str]
) -> NamedOutput:
    path = Path(source)
    if source == STANDARD_STREAM:
        raise ValueError("--output-dir needs files, which have names; '-' goes with -o")
    if path.is_dir():
        raise IsADirectoryError(21, "Is a directory (its files are 'DIR/*')", source)
    if not path.is_file():
        path.stat()  # raises where it is missing
        raise ValueError(f"{source}: expected a regular file; a pipe goes with -o")
    below = Path(path.name) if relative_to is None else _below(path, Path(relative_to))
    text, packed = split_suffix(below.as_posix())
    packed = packed if compression is None else compression
    return NamedOutput(path, text, text + suffix + packed, packed)


def _below(path: Path, folder: Path) -> Path:
    # Links stay what they are called: only the folders' names are compared.
    try:
        return Path(os.path.abspath(path)).relative_to(os.path.abspath(folder))  # noqa: PTH100
    except ValueError:
        raise ValueError(f"{path}: does not lie below --relative-to {folder}") from None
