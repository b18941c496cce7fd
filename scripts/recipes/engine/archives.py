"""Unpacking downloads, and finding what lies in a folder."""

import re
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Iterator, Optional

from recipes.engine.sources import Source

# How files of these names begin; an HTML page that a server answers with has another beginning.
MAGIC = {
    (".zip",): b"PK",
    (".gz", ".tgz"): b"\x1f\x8b",
    (".bz2",): b"BZh",
    (".xz",): b"\xfd7zXZ\x00",
    (".deb",): b"!<arch>\n",
}
_PAGE = re.compile(rb"\s*(<!doctype html|<html|<\?xml|<head)", re.IGNORECASE)
UNREADABLE = (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error)


def what_is_wrong(path: Path, name: str) -> str:
    """Why a download cannot be the file of this name; empty if nothing speaks against it.

    Args:
        path: where it is, under whatever name.
        name: of the file, whose suffix says how it begins.
    """
    with path.open("rb") as stream:
        head = stream.read(512)
    if not head:
        return "it is empty"
    expected = next((magic for names, magic in MAGIC.items() if name.endswith(names)), b"")
    # An XML file may begin as a page does, but no archive.
    if (expected or not name.endswith((".xml", ".html"))) and _PAGE.match(head):
        return "it is a web page"
    if not head.startswith(expected):
        return f"it begins with {head[:4]!r}, a {Path(name).suffix} file with {expected!r}"
    return ""


def unpack(source: Source, archive: Path, to: Path) -> None:
    """Unpacks an archive whose members lie inside it and nowhere else.

    Raises:
        ValueError: If it is not an archive, is truncated, or lacks what it should hold.
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
