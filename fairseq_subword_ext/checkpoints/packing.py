"""Packs a model: collects its files, checks that they load, and writes the archive."""

import json
import logging
import tempfile
from pathlib import Path
from typing import Any, Dict, List

from fairseq_subword_ext.checkpoints.archive import (
    checksum_path,
    describe_files,
    name_of,
    write_archive,
)
from fairseq_subword_ext.checkpoints.exporting import export_packed
from fairseq_subword_ext.checkpoints.manifest import manifest_of
from fairseq_subword_ext.checkpoints.model_folder import fill
from fairseq_subword_ext.checkpoints.model_page import page
from fairseq_subword_ext.checkpoints.model_parts import ModelParts


def check_inputs(parts: ModelParts, archive: Path) -> None:
    """Checks that the archive does not overwrite its own inputs.

    Raises:
        ValueError: If the archive or its checksum file is one of the model's files.
    """
    inputs = [*parts.checkpoints, *parts.scores, *parts.more, parts.codes, parts.target_codes]
    for output in (archive, checksum_path(archive)):
        for path in filter(None, inputs):
            if output.exists() and path.exists() and output.samefile(path):
                raise ValueError(f"-o {archive}: {output} would overwrite {path}, which is packed")


def pack_model(
    parts: ModelParts, archive: Path, keep_optimizer: bool = False, with_onnx: bool = False
) -> Dict[str, Any]:
    """Packs a model into one archive that, once unpacked, ``from_pretrained`` can load.

    The files are collected in a temporary folder beside the archive, from which the model is loaded as a check. The
    same parts give the same archive, byte for byte.

    Args:
        parts: the parts of the model.
        archive: ``NAME.tar.gz``; it unpacks to a folder ``NAME``.
        keep_optimizer: keep the optimizer's state, so that training can be resumed.
        with_onnx: add an export, ``onnx/``, that ``translate`` runs without Fairseq.

    Returns:
        The content of MANIFEST.json, and the archive's checksum as ``sha256``.

    Raises:
        ValueError: If the parts do not match, would be overwritten, or do not load.
        OSError: If a file cannot be read or written.
        ImportError: If ``with_onnx`` is given but the packages of the extra ``export`` are not installed.
    """
    from fairseq_subword_ext import register

    name = name_of(archive)
    check_inputs(parts, archive)
    if with_onnx and len(parts.checkpoints) > 1:
        raise ValueError("--with-onnx: an ensemble cannot be exported; pack its members one by one")
    logging.disable(logging.INFO)  # Fairseq logs whole configurations
    try:
        register()
        with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=archive.parent) as place:
            folder = Path(place) / name
            folder.mkdir()
            packed = fill(folder, parts, keep_optimizer)
            manifest = manifest_of(name, parts, packed, keep_optimizer)
            check_loading(folder, packed.names, with_encoder=packed.encoder is not None)
            if with_onnx:
                export_packed(folder, packed.names[0])
            write_descriptions(folder, manifest)
            digest = write_archive(folder, archive)
    finally:
        logging.disable(logging.NOTSET)
    return {**manifest, "sha256": digest}


def check_loading(folder: Path, checkpoints: List[str], with_encoder: bool) -> None:
    """Loads the folder as a user would.

    Raises:
        ValueError: If loading fails.
    """
    from fairseq.models import BaseFairseqModel

    try:
        model = BaseFairseqModel.from_pretrained(str(folder), ":".join(checkpoints))
        if with_encoder:
            model.bpe.decode(model.bpe.encode("a b"))
    except (RuntimeError, AssertionError, LookupError, ValueError) as error:
        reason = " ".join(str(error).split())[:500]
        raise ValueError(f"from_pretrained cannot load the packed model: {reason}") from error


def write_descriptions(folder: Path, manifest: Dict[str, Any]) -> None:
    """Writes README.md, and MANIFEST.json, which lists all files except itself."""
    manifest["files"] = describe_files(folder)
    readme = folder / "README.md"
    readme.write_text(page(manifest), encoding="utf-8")
    manifest["files"] = describe_files(folder)
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (folder / "MANIFEST.json").write_text(f"{text}\n", encoding="utf-8")
