"""Finds the checkpoint and the dictionaries of the model to export."""

import contextlib
import json
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Dict, Optional

from fairseq_subword_ext.checkpoints.exporting import ModelSource

MANIFEST = "MANIFEST.json"
CHECKPOINTS = ("checkpoint_best.pt", "checkpoint_last.pt", "checkpoints/checkpoint_best.pt")


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
    if run.is_file() and tarfile.is_tarfile(run):
        run = _unpacked(run, stack)
    if (run / MANIFEST).is_file():
        return ModelSource(_packed_checkpoint(run), data or run, encoder, options)
    checkpoint = _checkpoint_in(run) if run.is_dir() else run
    from fairseq_subword_ext.checkpoints.exporting_model import recorded_data

    if not checkpoint.is_file():
        raise ValueError(f"{checkpoint}: no such file")
    return ModelSource(checkpoint, data or recorded_data(checkpoint), encoder, options)


def _unpacked(archive: Path, stack: contextlib.ExitStack) -> Path:
    """Unpacks an archive by tarfile's rules for untrusted archives."""
    place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="export-model.")))
    if not hasattr(tarfile, "data_filter"):
        raise ValueError(f"{archive}: this Python cannot unpack archives safely; unpack it first")
    try:
        with tarfile.open(archive) as tar:
            tar.extractall(place, filter="data")
    except (tarfile.TarError, EOFError) as error:
        raise ValueError(f"{archive}: not an archive of package-model ({error})") from error
    found = sorted(place.glob(f"*/{MANIFEST}"))
    if len(found) != 1:
        raise ValueError(f"{archive}: not an archive of package-model (no {MANIFEST} in it)")
    return found[0].parent


def _packed_checkpoint(folder: Path) -> Path:
    path = folder / MANIFEST
    try:
        names = list(json.loads(path.read_text(encoding="utf-8"))["checkpoints"])
    except (ValueError, LookupError, TypeError) as error:
        raise ValueError(f"{path}: not a manifest of package-model ({error})") from error
    if len(names) != 1:
        raise ValueError(
            f"{folder}: an ensemble of {len(names)} models; export one of them: "
            f"{', '.join(str(folder / str(name)) for name in names)} --data {folder}"
        )
    if Path(str(names[0])).name != names[0]:
        raise ValueError(f"{path}: {str(names[0])[:60]!r} leads out of the folder")
    return folder / names[0]


def _checkpoint_in(folder: Path) -> Path:
    for name in CHECKPOINTS:
        if (folder / name).is_file():
            return folder / name
    raise ValueError(f"{folder}: neither a packed model nor {' or '.join(CHECKPOINTS)} in it")
