"""Brings a recipe's files into one folder: downloaded by sources.tsv, or taken from a local folder.

    python -m recipes.engine.fetch RECIPE --to DIR [--raw DIR] [--languages a,b] [FILE...]

Archives are unpacked into DIR. An interrupted download resumes where it stopped. --raw is a folder that has the
files already, as they are downloaded or unpacked: nothing is downloaded then. A download that is not what it
should be, such as a web page in place of an archive, is removed. If a file is not available, the message names it
and the page that says where it is. DIR/sha256.tsv records the checksum of each download; sources.tsv has those
that are known.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Optional

from fairseq_subword_ext.textio.digests import digest_of
from recipes.engine.archives import find, link, unpack, what_is_wrong
from recipes.engine.script import make_parser, run_script
from recipes.engine.sources import ARCHIVES, TABLE, Source, for_languages, read_sources

APT = "apt:"
CHECKSUMS = "sha256.tsv"
BLOCK = 1 << 20


def bring(source: Source, to: Path, raw: Optional[Path]) -> None:
    """Brings one file, or all that its archive holds, into the folder ``to``.

    Raises:
        ValueError: If it is not available, or is not what it should be.
    """
    if raw is not None:
        take(source, raw, to)
    elif source.address.startswith(APT):
        install_package(source, to)
    elif source.members and all((to / name).exists() for name in source.members):
        print(f"{source.file}: already there", file=sys.stderr)
    elif not source.address:
        raise source.missing("it is available only on request")
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
        raise source.missing(f"--raw {raw} has none of {', '.join(wanted)}")
    check(source, archive, keep=True)
    unpack(source, archive, to)


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
        raise source.missing(f"the download failed ({error}); run again to resume it") from error
    if total is not None and part.stat().st_size != total:
        raise source.missing(
            f"the download was cut off at {part.stat().st_size} of {total} bytes; run again to resume"
        )
    check(source, part)
    part.rename(target)
    return target


def check(source: Source, path: Path, keep: bool = False) -> None:
    """Checks a file's beginning, and its checksum if sources.tsv has one; records the checksum otherwise.

    Args:
        source: what it should be.
        path: where it is.
        keep: leave a wrong file where it is, since it is the user's own.

    Raises:
        ValueError: If it is not the expected file.
    """
    wrong = what_is_wrong(path, source.file)
    digest = "" if wrong else digest_of([path])
    kind, _, expected = source.sha256.rpartition(":")
    found = md5_of(path) if kind == "md5" and not wrong else digest
    if expected and found and found != expected:
        wrong = f"its {kind.upper() or 'SHA-256'} is {found}, not {expected}"
    if not wrong:
        if not keep and not source.sha256:
            with (path.parent / CHECKSUMS).open("a", encoding="utf-8") as stream:
                stream.write(f"{digest}\t{source.file}\t{source.address}\n")
        return
    if keep:
        raise ValueError(f"{path}: not the expected file: {wrong}; see {source.page}")
    path.unlink()
    raise source.missing(f"what the server sent is not this file: {wrong}; it was removed")


def md5_of(path: Path) -> str:
    """A file's MD5, which is all that some sources state: it tells a damaged file, not a forged one."""
    digest = hashlib.md5()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def install_package(source: Source, to: Path) -> None:
    """Downloads a Debian package and unpacks it into a folder of its name; nothing is installed."""
    package = source.address[len(APT) :]
    folder = to / source.file
    if folder.is_dir():
        print(f"{source.file}: already there", file=sys.stderr)
        return
    if not all(shutil.which(tool) for tool in ("apt-get", "dpkg-deb")):
        raise source.missing("this machine has no apt-get")
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
    parser = make_parser(__doc__)
    parser.add_argument("recipe", help="name in the first column of sources.tsv")
    parser.add_argument("files", nargs="*", help="only these (default: all of the recipe)")
    parser.add_argument("--to", type=Path, required=True, help="target folder")
    parser.add_argument("--raw", type=Path, help="folder that already has the files")
    parser.add_argument(
        "--languages",
        default="",
        help="languages, separated by commas, for files of a single language",
    )
    parser.add_argument("--sources", type=Path, default=TABLE, help="the table (default: ours)")
    return parser


def main() -> int:
    return run_script(build_parser(), run)


def run(args: argparse.Namespace) -> None:
    if args.raw is not None and not args.raw.is_dir():
        raise ValueError(f"--raw {args.raw}: no such folder")
    sources = read_sources(args.sources, args.recipe)
    sources = [s for s in sources if not args.files or s.file in args.files]
    for source in for_languages(sources, [x for x in args.languages.split(",") if x]):
        bring(source, args.to, args.raw)


if __name__ == "__main__":
    sys.exit(main())
