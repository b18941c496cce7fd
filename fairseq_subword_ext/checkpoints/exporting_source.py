"""Finds the checkpoint and the dictionaries of the model to export."""

import contextlib
import gzip
import json
import tarfile
import tempfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterator, Optional

from fairseq_subword_ext.checkpoints.exporting import ModelSource

MANIFEST = "MANIFEST.json"
CHECKPOINTS = ("checkpoint_best.pt", "checkpoint_last.pt", "checkpoints/checkpoint_best.pt")

# Limits for untrusted archives: a packed model is hardly smaller than its files, and tarfile reads
# names in one piece and files in pieces of 16 KiB.
LARGEST_RATIO = 100
SMALLEST_LIMIT = 1 << 26
LARGEST_READ = 1 << 20


def source_of(
    run: Path,
    data: Optional[Path],
    encoder: Optional[str],
    options: Dict[str, Any],
    stack: contextlib.ExitStack,
) -> ModelSource:
    """Finds the model at a path.

    Args:
        run: a ``package-model`` archive, the folder that it unpacks to, a checkpoint, or a folder of
            checkpoints.
        data: the folder of the dictionaries; None to use the packed model's or the checkpoint's.
        encoder, options: as for :class:`.ModelSource`.
        stack: an unpacked archive is deleted when it closes.

    Raises:
        ValueError: If there is no model, or an ensemble.
        OSError: If a file cannot be read.
    """
    if run.is_file() and _is_gzip(run):
        run = _unpacked(run, stack)
    if (run / MANIFEST).is_file():
        return ModelSource(_packed_checkpoint(run), data or run, encoder, options)
    checkpoint = _checkpoint_in(run) if run.is_dir() else run
    from fairseq_subword_ext.checkpoints.exporting_model import recorded_data

    if not checkpoint.is_file():
        raise ValueError(f"{checkpoint}: no such file")
    return ModelSource(checkpoint, data or recorded_data(checkpoint), encoder, options)


def _is_gzip(path: Path) -> bool:
    """Whether this can be an archive of package-model; no checkpoint begins like one."""
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _unpacked(archive: Path, stack: contextlib.ExitStack) -> Path:
    """Unpacks an archive by tarfile's rules for untrusted archives, within size limits."""
    place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="export-model.")))
    if not hasattr(tarfile, "data_filter"):
        raise ValueError(f"{archive}: this Python cannot unpack archives safely; unpack it first")
    try:
        with (
            gzip.open(archive) as stream,
            tarfile.open(fileobj=_SmallReads(stream), mode="r:") as tar,
        ):
            members = _within(max(SMALLEST_LIMIT, LARGEST_RATIO * archive.stat().st_size), tar)
            tar.extractall(place, members, filter="data")
    except (tarfile.TarError, EOFError, ValueError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # a full disk, not a broken archive
        reason = " ".join(str(error).split())
        raise ValueError(f"{archive}: not an archive of package-model ({reason})") from error
    found = sorted(place.glob(f"*/{MANIFEST}"))
    if len(found) != 1:
        raise ValueError(f"{archive}: not an archive of package-model (no {MANIFEST} in it)")
    return found[0].parent


class _SmallReads:
    """A stream for tarfile that refuses large reads: only a header with a false length asks for one."""

    def __init__(self, stream: BinaryIO):
        self._stream = stream
        self.seek = stream.seek
        self.tell = stream.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= LARGEST_READ:
            raise ValueError("a header with a false length")
        return self._stream.read(size)


def _within(limit: int, tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """The members of an archive.

    Raises:
        ValueError: If the total size of the files exceeds the limit.
    """
    total = 0
    for member in tar:
        total += member.size
        if total > limit:
            raise ValueError(f"it unpacks to more than {limit >> 20} MiB")
        yield member


def _packed_checkpoint(folder: Path) -> Path:
    path = folder / MANIFEST
    try:
        names = list(json.loads(path.read_text(encoding="utf-8"))["checkpoints"])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"{path}: not a manifest of package-model ({error})") from error
    if len(names) != 1:
        raise ValueError(
            f"{folder}: an ensemble of {len(names)} models; export one of them: "
            f"{', '.join(str(folder / str(name)) for name in names)} --data {folder}"
        )
    if Path(str(names[0])).name != names[0]:
        raise ValueError(f"{path}: {str(names[0])[:60]!r} leads out of the folder")
    if not (folder / names[0]).is_file():
        raise ValueError(f"{path}: {names[0]!r} is not in the folder")
    return folder / names[0]


def _checkpoint_in(folder: Path) -> Path:
    for name in CHECKPOINTS:
        if (folder / name).is_file():
            return folder / name
    raise ValueError(f"{folder}: neither a packed model nor {' or '.join(CHECKPOINTS)} in it")
