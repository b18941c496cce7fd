#!/usr/bin/env python3
"""Brings a recipe's files into one folder: downloaded by sources.tsv, or taken from a local folder.

    fetch.py RECIPE --to DIR [--raw DIR] [--languages a,b] [FILE...]

Archives are unpacked into DIR. A download that was cut off goes on where it stopped. --raw is a
folder that has the files already, as they are downloaded or unpacked: then nothing is downloaded.
What cannot be had stops the recipe with the name of the file to supply and the page that says where
it is.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
import zipfile
import zlib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Iterator, List, Optional, Sequence

TABLE = Path(__file__).with_name("sources.tsv")
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip")
APT = "apt:"
BLOCK = 1 << 20
UNREADABLE = (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class Source:
    """One row of sources.tsv; its head says what the columns are."""

    recipe: str
    file: str
    address: str
    holds: str
    sha256: str
    page: str
    licence: str
    tried: str

    @property
    def members(self) -> List[str]:
        """The files that the archive has to hold, or the file itself where it is none."""
        return self.holds.split() or ([] if self.file.endswith(ARCHIVES) else [self.file])

    def missing(self, why: str) -> ValueError:
        """The error for a file that cannot be had."""
        untried = "" if self.tried == "yes" else " (an address that nobody has tried here)"
        return ValueError(
            f"{self.file}: {why}. {self.address or 'There is no address for it'}{untried}. Get it as "
            f"{self.page} says, and give the folder that holds it as --raw DIR"
        )


def read_sources(path: Path, recipe: str) -> List[Source]:
    """Reads the rows of one recipe.

    Raises:
        ValueError: for a row with too few or too many columns, or a recipe without rows.
        OSError: where the table cannot be read.
    """
    names = [field.name for field in fields(Source)]
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line or line.startswith("#"):
            continue
        cells = ["" if cell == "-" else cell for cell in line.split("\t")]
        if len(cells) != len(names):
            raise ValueError(f"{path}:{number}: {len(cells)} columns, expected {len(names)}")
        if cells[0] == recipe:
            found.append(Source(*cells))
    if not found:
        raise ValueError(f"{path}: no files for the recipe {recipe!r}")
    return found


def for_languages(sources: Sequence[Source], languages: Sequence[str]) -> List[Source]:
    """Puts each language into the rows that are meant for one.

    Raises:
        ValueError: where there are such rows, but no languages.
    """
    expanded = []
    for source in sources:
        if "{language}" not in source.file:
            expanded.append(source)
        elif not languages:
            raise ValueError(f"{source.file}: say for which --languages")
        else:
            expanded += [
                replace(
                    source,
                    file=source.file.replace("{language}", language),
                    address=source.address.replace("{language}", language),
                )
                for language in languages
            ]
    return list(dict.fromkeys(expanded))


def bring(source: Source, to: Path, raw: Optional[Path]) -> None:
    """Brings one file, or all that its archive holds, into the folder ``to``.

    Raises:
        ValueError: where it cannot be had, or is not what it should be.
    """
    if raw is not None:
        take(source, raw, to)
    elif source.address.startswith(APT):
        install_package(source, to)
    elif source.members and all((to / name).exists() for name in source.members):
        print(f"{source.file}: there already", file=sys.stderr)
    elif not source.address:
        raise source.missing("it has to be asked for")
    else:
        archive = download(source, to)
        if source.file.endswith(ARCHIVES):
            unpack(source, archive, to)


def take(source: Source, raw: Path, to: Path) -> None:
    """Takes a file from a local folder: unpacked ones are linked, an archive is unpacked."""
    unpacked = [find(raw, name) for name in source.members]
    if unpacked and all(unpacked):
        for name, path in zip(source.members, unpacked):
            link(path, to / name)
        return
    archive = find(raw, source.file)
    if archive is None:
        wanted = [source.file, *(name for name in source.members if name != source.file)]
        raise source.missing(f"--raw {raw} holds none of {', '.join(wanted)}")
    check_sha256(source, archive)
    unpack(source, archive, to)


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


def download(source: Source, to: Path) -> Path:
    """Downloads a file; what an earlier call left half done is completed."""
    target = to / source.file
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        return target
    part = target.with_name(target.name + ".part")
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(source.address, headers={"User-Agent": "fairseq-subword"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    print(f"{source.file}: from {source.address}", file=sys.stderr)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            resumed = answer.status == 206
            length = answer.headers.get("Content-Length")
            total = None if length is None else int(length) + (have if resumed else 0)
            with part.open("ab" if resumed else "wb") as stream:
                shutil.copyfileobj(answer, stream, BLOCK)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # what is there is no beginning of the file that the server has now
            part.unlink()
            return download(source, to)
        raise source.missing(f"the server answers {error.code} {error.reason}") from error
    except OSError as error:
        raise source.missing(
            f"the download failed ({error}); run again to go on with it"
        ) from error
    if total is not None and part.stat().st_size != total:
        raise source.missing(
            f"the download was cut off at {part.stat().st_size} of {total} bytes; run again to go on"
        )
    check_sha256(source, part)
    part.rename(target)
    return target


def check_sha256(source: Source, path: Path) -> None:
    """Compares with the table, where it says what is expected."""
    if not source.sha256:
        return
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    if digest.hexdigest() != source.sha256:
        raise ValueError(
            f"{path}: another file than expected: sha256 {digest.hexdigest()}, not {source.sha256}; "
            "remove it and run again"
        )


def unpack(source: Source, archive: Path, to: Path) -> None:
    """Unpacks an archive whose members lie inside it and nowhere else.

    Raises:
        ValueError: where it is no archive, is cut off, or lacks what it should hold.
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
            f"{archive}: not a whole archive ({error}): remove it and run again; the page is "
            f"{source.page}"
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
        ValueError: for a member that would land outside the folder.
    """
    for member in stream:
        parts = Path(member.name).parts
        if ".." in parts or Path(member.name).is_absolute():
            raise ValueError(f"{archive}: the member {member.name!r} lies outside the archive")
        if member.isfile() or member.isdir():
            yield member


def install_package(source: Source, to: Path) -> None:
    """Downloads a Debian package and unpacks it into a folder of its name; nothing is installed."""
    package = source.address[len(APT) :]
    folder = to / source.file
    if folder.is_dir():
        print(f"{source.file}: there already", file=sys.stderr)
        return
    if not all(shutil.which(tool) for tool in ("apt-get", "dpkg-deb")):
        raise source.missing("there is no apt-get here")
    to.mkdir(parents=True, exist_ok=True)
    print(f"{source.file}: apt-get download {package}", file=sys.stderr)
    call = ["apt-get", "download", "-q", package]
    process = subprocess.run(call, cwd=to, capture_output=True, text=True, check=False)
    archives = sorted(to.glob(f"{package}_*.deb"))
    if process.returncode != 0 or not archives:
        words = (process.stderr.strip().splitlines() or ["no .deb came"])[-1]
        raise source.missing(f"{words} (try apt-get update)")
    unfinished = to / f".{source.file}.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    subprocess.run(["dpkg-deb", "-x", archives[-1], unfinished], check=True)
    unfinished.rename(folder)
    for archive in archives:
        archive.unlink()


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipe", help="as in the first column of sources.tsv")
    parser.add_argument("files", nargs="*", help="only these (default: all of the recipe)")
    parser.add_argument("--to", type=Path, required=True, help="folder to bring them into")
    parser.add_argument("--raw", type=Path, help="folder that has them already")
    parser.add_argument("--languages", default="", help="for files of one language, by commas")
    parser.add_argument("--sources", type=Path, default=TABLE, help="the table (default: ours)")
    return parser


def main() -> int:
    args = build_parser().parse_args()
    try:
        if args.raw is not None and not args.raw.is_dir():
            raise ValueError(f"--raw {args.raw}: no such folder")
        sources = read_sources(args.sources, args.recipe)
        sources = [s for s in sources if not args.files or s.file in args.files]
        for source in for_languages(sources, [x for x in args.languages.split(",") if x]):
            bring(source, args.to, args.raw)
    except (ValueError, OSError) as error:
        print(f"fetch.py: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
