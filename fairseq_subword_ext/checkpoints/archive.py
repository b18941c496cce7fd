"""Writes an archive whose bytes depend on its contents alone."""

import gzip
import hashlib
import tarfile
from pathlib import Path
from typing import BinaryIO, Dict, List

from fairseq_subword_ext.textio.files import atomic_text_writer, atomic_writer

SUFFIXES = (".tar.gz", ".tgz")
BLOCK = 1 << 20


def name_of(archive: Path) -> str:
    """The folder that the archive unpacks to: the archive's name without its suffix.

    Raises:
        ValueError: If the name has another suffix.
    """
    for suffix in SUFFIXES:
        if archive.name.endswith(suffix) and archive.name != suffix:
            return archive.name[: -len(suffix)]
    raise ValueError(f"-o {archive}: the archive's name must end in {' or '.join(SUFFIXES)}")


def checksum_path(archive: Path) -> Path:
    """The path of the checksum file beside the archive."""
    return archive.with_name(f"{archive.name}.sha256")


def describe_files(folder: Path) -> List[Dict[str, object]]:
    """The name, size and SHA-256 of every file below a folder, sorted by name."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest = hashlib.sha256()
        with path.open("rb") as stream:
            while block := stream.read(BLOCK):
                digest.update(block)
        name = path.relative_to(folder).as_posix()
        found.append({"name": name, "size": path.stat().st_size, "sha256": digest.hexdigest()})
    return found


def write_archive(folder: Path, archive: Path) -> str:
    """Packs a folder and writes ARCHIVE.sha256 beside the archive, for ``sha256sum -c``.

    The archive appears complete or not at all, and never beside another archive's checksum. Order,
    times, owners and permissions are always the same.

    Returns:
        The SHA-256 of the archive.

    Raises:
        OSError: If it cannot be written.
    """
    checksum = checksum_path(archive)
    with atomic_writer(archive) as stream:
        hashed = _Hashed(stream)
        with gzip.GzipFile(filename="", mode="wb", fileobj=hashed, mtime=0) as packed:
            write_tar(folder, name_of(archive), packed)
        checksum.unlink(missing_ok=True)
    digest = hashed.digest.hexdigest()
    with atomic_text_writer(checksum) as text:
        text.write(f"{digest}  {archive.name}\n")
    return digest


def write_tar(folder: Path, name: str, stream: BinaryIO) -> None:
    """Adds the files of a folder, sorted by name, under the folder ``name`` of a tar stream."""
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = tarfile.TarInfo(f"{name}/{path.relative_to(folder).as_posix()}")
            member.size = path.stat().st_size
            with path.open("rb") as content:
                tar.addfile(member, content)


class _Hashed:
    """A stream that computes the SHA-256 of everything written to it."""

    def __init__(self, stream: BinaryIO):
        self._stream = stream
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return self._stream.write(data)

    def flush(self) -> None:
        self._stream.flush()
