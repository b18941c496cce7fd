"""Unpacking downloads, and finding what lies in a folder."""

import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Iterator, Optional

from source_table import Source

UNREADABLE = (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error)


def unpack(source: Source, archive: Path, to: Path) -> None:
    """Unpacks an archive whose members lie inside it and nowhere else.

    Raises:
        ValueError: If it is no archive, is cut off, or lacks what it should hold.
    """
    to.mkdir(parents=True, exist_ok=True)
    try:
        if source.file.endswith(".zip"):
            with zipfile.ZipFile(archive) as stream:
                stream.extractall(to)
        else:
            with tarfile.open(archive) as stream:
                stream.extractall(to, members=harmless(stream, archive))
    except UNREADABLE as error:
        raise ValueError(
            f"{archive}: not a complete archive ({str(error).splitlines()[0]}): remove it and run "
            f"again; the page is {source.page}"
        ) from error
    for name in source.members:
        if not (to / name).exists():
            inside = find(to, name)
            if inside is None:
                raise ValueError(f"{archive}: no {name} in it; see {source.page}")
            link(inside, to / name)


def harmless(stream: tarfile.TarFile, archive: Path) -> Iterator[tarfile.TarInfo]:
    """The files and folders of an archive; links and devices are left out.

    (tarfile's own filter="data" is missing from the first releases of Python 3.11.)

    Raises:
        ValueError: If a member would be unpacked outside the folder.
    """
    for member in stream:
        parts = Path(member.name).parts
        if ".." in parts or Path(member.name).is_absolute():
            raise ValueError(f"{archive}: the member {member.name!r} lies outside the archive")
        if member.isfile() or member.isdir():
            yield member


def find(folder: Path, name: str) -> Optional[Path]:
    """A file of this name in the folder or below it; the one that lies highest."""
    if (folder / name).exists():
        return folder / name
    below = sorted(folder.rglob(Path(name).name), key=lambda path: (len(path.parts), path))
    return next((path for path in below if path.as_posix().endswith(f"/{name}")), None)


def link(path: Path, target: Path) -> None:
    """Puts a symbolic link in the place of ``target``."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.resolve() == path.resolve():
        return
    target.unlink(missing_ok=True)
    target.symlink_to(path.resolve())
