"""Names the output of each of many inputs."""

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
    """An input and the name of its output.

    Attributes:
        source: the input.
        text: its path below the output folder without a compression suffix, with ``/`` as separator.
        name: the output's path below the output folder.
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
    """Names each input's output below the output folder: the input's own name plus a suffix.

    Args:
        sources: regular files.
        folder: the output folder.
        relative_to: keep the folder structure below this folder; None to use the bare file name.
        suffix: appended to the name, before the compression suffix.
        compression: of all outputs (``.gz``, ``.xz``, ``.zst`` or empty); None for each input's own.
        kept: other files that no output may overwrite.

    Raises:
        ValueError: If two inputs would get the same name, an output would overwrite an input, or an
            input is not a regular file or is not below ``relative_to``.
        OSError: If an input is missing.
    """
    if "/" in suffix:
        raise ValueError(f"--suffix {suffix}: must be the end of a file name, without a /")
    named: Dict[str, NamedOutput] = {}
    for source in sources:
        output = _named(source, relative_to, suffix, compression)
        other = named.setdefault(output.name, output)
        if other is not output:
            raise ValueError(
                f"{other.source} and {source} would both become {output.name} in {folder}: give "
                "--relative-to DIR to keep their folders below DIR, or run the command twice"
            )
    sources_and_kept = [*(output.source for output in named.values()), *kept]
    read = {identity_of(path): path for path in sources_and_kept}
    read.pop(None, None)  # pipes and the like
    for output in named.values():
        replaced = read.get(identity_of(Path(folder, output.name)))
        if replaced is not None:
            raise ValueError(
                f"{output.source}: its output would overwrite the input {replaced}; choose another "
                "--output-dir, or give a --suffix"
            )
    return list(named.values())


def _named(
    source: str, relative_to: Optional[PathLike], suffix: str, compression: Optional[str]
) -> NamedOutput:
    path = Path(source)
    if source == STANDARD_STREAM:
        raise ValueError("--output-dir needs named files; use -o for '-'")
    if path.is_dir():
        raise IsADirectoryError(21, "Is a directory (its files are 'DIR/*')", source)
    if not path.is_file():
        path.stat()  # raises if it is missing
        raise ValueError(f"{source}: expected a regular file; use -o for a pipe")
    below = Path(path.name) if relative_to is None else _below(path, Path(relative_to))
    text, packed = split_suffix(below.as_posix())
    packed = packed if compression is None else compression
    return NamedOutput(path, text, text + suffix + packed, packed)


def _below(path: Path, folder: Path) -> Path:
    # Links are not resolved: only the names are compared.
    try:
        return Path(os.path.abspath(path)).relative_to(os.path.abspath(folder))  # noqa: PTH100
    except ValueError:
        raise ValueError(f"{path}: is not below --relative-to {folder}") from None
