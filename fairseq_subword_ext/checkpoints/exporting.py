"""Exports a trained model to a folder that runs without Fairseq and torch; see :mod:`.runtime`."""

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Optional

from fairseq_subword_ext.runtime import export_folder
from fairseq_subword_ext.runtime.export_folder import ExportSettings
from fairseq_subword_ext.version import __version__

PACKED_FOLDER = "onnx"
# Encoder options that name a file, and that file's name in an export.
FILE_OPTIONS = {
    "bpe_codes": export_folder.CODES,
    "bpe_vocabulary": export_folder.VOCABULARY,
    "bpe_glossary_file": export_folder.GLOSSARY,
}
PLAIN_OPTIONS = (
    "bpe_compat",
    "bpe_errors",
    "bpe_separator",
    "bpe_glossaries",
    "bpe_vocabulary_threshold",
)
# Files next to the file that an option names.
COMPANIONS = {"bpe_codes": (".json", export_folder.CODES_METADATA)}


@dataclass(frozen=True)
class ModelSource:
    """A model to export.

    Attributes:
        checkpoint: the model's checkpoint.
        data: the folder of its dictionaries.
        encoder: Fairseq's ``--bpe``, or ``none`` for segmented text; None to use the checkpoint's.
        options: encoder options by Fairseq's names (``bpe_codes``); paths are absolute, or relative to
            ``data`` if they come from the checkpoint.
    """

    checkpoint: Path
    data: Path
    encoder: Optional[str] = None
    options: Dict[str, Any] = field(default_factory=dict)


def export_model(source: ModelSource, output: Path, int8: bool = False) -> ExportSettings:
    """Writes a folder with the model's two graphs, dictionaries, codes and settings.

    An existing export is replaced once the new one is complete.

    Args:
        source: the model.
        output: the folder.
        int8: Quantize the weight matrices.

    Raises:
        ValueError: If the model cannot be exported, or the export gives different results.
        ImportError: If Fairseq, onnx, onnxscript or onnxruntime is not installed.
        OSError: If a file cannot be read or written.
    """
    check_output(output)
    import_tools()
    from fairseq_subword_ext.checkpoints.exporting_model import load_model

    loaded = load_model(source.checkpoint, source.data)
    encoding = encoding_of(source, loaded.cfg)
    settings = settings_of(loaded, encoding, int8)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as place:
        folder = Path(place) / "export"
        folder.mkdir()
        write_text_files(folder, loaded.task, encoding)
        settings.save(folder)
        write_graphs(folder, loaded.model, settings)
        check_export(folder, loaded.model, settings)
        old = Path(place) / "old"
        if output.exists():
            output.rename(old)
        folder.rename(output)
    return settings


def export_packed(folder: Path, checkpoint: str, int8: bool = False) -> ExportSettings:
    """Adds an export, ``onnx/``, to the folder that ``package-model`` turns into an archive.

    Args:
        folder: has the checkpoint, dictionaries and codes.
        checkpoint: its name in the folder; it records the encoder.
        int8: as for :func:`export_model`.

    Raises:
        ValueError, ImportError, OSError: As for :func:`export_model`.
    """
    return export_model(ModelSource(folder / checkpoint, folder), folder / PACKED_FOLDER, int8)


def check_output(output: Path) -> None:
    """Checks the output path before any work starts.

    Raises:
        ValueError: If it is a file, or a folder with other content.
    """
    if output.is_dir():
        if any(output.iterdir()) and not (output / export_folder.SETTINGS).is_file():
            raise ValueError(f"-o {output}: this folder has other content; give a new one")
    elif output.exists() or output.is_symlink():
        raise ValueError(f"-o {output}: this is a file; give a folder")


def import_tools() -> None:
    """Checks, before the model is loaded, that the packages of the extra ``export`` are installed.

    Raises:
        ImportError: If one is not; the message names it and the extra.
    """
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"export-model needs onnx, onnxscript and onnxruntime ({error}): "
            "pip install 'fairseq_subword_ext[fairseq,export]'"
        ) from error


def encoding_of(source: ModelSource, cfg: Any) -> Dict[str, Any]:
    """Finds the encoder, its options and its files.

    Returns:
        Options by Fairseq's names; ``_name`` is the encoder's name.

    Raises:
        ValueError: If the encoder is not known, a file is missing, or the runtime lacks the encoder.
    """
    own = dict(cfg.bpe) if cfg.bpe is not None else {}
    name = source.encoder or own.get("_name")
    if name is None:
        raise ValueError(
            f"{source.checkpoint} does not record how its text was segmented: give --bpe NAME and --codes "
            f"FILE (--bpe {export_folder.NO_ENCODING} if the text to translate is already segmented)"
        )
    if name not in (*export_folder.ENCODINGS, export_folder.NO_ENCODING):
        raise ValueError(
            f"--bpe {name}: translate supports {', '.join(export_folder.ENCODINGS)}; for a model with "
            "subword_nmt's codes give --bpe generalized_bpe --bpe-option bpe_compat=subword-nmt, for "
            "Fairseq's bytes, characters or byte_bpe give bpe_compat=fairseq"
        )
    options = own if own.get("_name") == name else {}
    options = {key: value for key, value in options.items() if value is not None}
    for key in source.options:
        if key not in (*FILE_OPTIONS, *PLAIN_OPTIONS):
            known = ", ".join([*FILE_OPTIONS, *PLAIN_OPTIONS])
            raise ValueError(f"--bpe-option {key}: expected one of {known}")
    options.update(source.options)
    options["_name"] = name
    for key in FILE_OPTIONS:
        if options.get(key) is None:
            continue
        path = source.data / options[key]  # an absolute path stays as it is
        if not path.is_file():
            raise ValueError(f"--{key.replace('_', '-')} {path}: no such file")
        options[key] = path
    if name in ("generalized_bpe", "bbpe") and "bpe_codes" not in options:
        raise ValueError(f"--bpe {name} needs --codes FILE")
    return options


def settings_of(loaded: Any, encoding: Dict[str, Any], int8: bool) -> ExportSettings:
    """The settings that the runtime needs."""
    model, task, generator = loaded.model, loaded.task, loaded.generator
    positions = [
        min(pair) for pair in zip(task.max_positions(), (model.encoder.max_positions(), 1 << 20))
    ]
    compat = encoding.get("bpe_compat")
    threshold = encoding.get("bpe_vocabulary_threshold")
    return ExportSettings(
        encoding=encoding["_name"],
        compat=None if compat is None else str(compat),
        errors=str(encoding.get("bpe_errors") or "strict"),
        separator=encoding.get("bpe_separator") or "@@",
        glossaries=encoding.get("bpe_glossaries") or "",
        vocabulary_threshold=None if threshold is None else int(threshold),
        source_symbols=len(task.source_dictionary),
        target_symbols=len(task.target_dictionary),
        source_positions=int(positions[0]),
        target_positions=int(generator.max_len),
        language_token=bool(getattr(task, "uses_language_token", False)),
        hides_language_tokens=generator.token_indices_to_suppress is not None,
        beam=generator.beam_size,
        lenpen=float(generator.len_penalty),
        unnormalized=not generator.normalize_scores,
        unkpen=float(generator.unk_penalty),
        min_len=generator.min_len,
        max_len_a=float(generator.max_len_a),
        max_len_b=int(generator.max_len_b),
        layers=len(model.decoder.layers),
        heads=model.decoder.layers[0].self_attn.num_heads,
        precision="int8" if int8 else "float32",
        made_by=__version__,
    )


def write_text_files(folder: Path, task: Any, encoding: Dict[str, Any]) -> None:
    """Writes the dictionaries and copies the encoder's files."""
    task.source_dictionary.save(str(folder / export_folder.SOURCE_DICTIONARY))
    task.target_dictionary.save(str(folder / export_folder.TARGET_DICTIONARY))
    for key, name in FILE_OPTIONS.items():
        if key not in encoding:
            continue
        path = encoding[key]
        shutil.copyfile(path, folder / name)
        suffix, companion = COMPANIONS.get(key, (None, None))
        if suffix and path.with_name(path.name + suffix).is_file():
            shutil.copyfile(path.with_name(path.name + suffix), folder / companion)


def write_graphs(folder: Path, model: Any, settings: ExportSettings) -> None:
    """Writes the encoder and the decoder step."""
    from fairseq_subword_ext.checkpoints import exporting_onnx
    from fairseq_subword_ext.checkpoints.exporting_graphs import DecoderGraph, EncoderGraph

    encoder = exporting_onnx.encoder_bytes(
        EncoderGraph(model.encoder, model.decoder), settings.layers
    )
    head_size = model.decoder.layers[0].self_attn.head_dim
    decoder = exporting_onnx.decoder_bytes(
        DecoderGraph(model.decoder, export_folder.EOS),
        settings.heads,
        head_size,
        settings.target_symbols,
    )
    for name, content in (export_folder.ENCODER, encoder), (export_folder.DECODER, decoder):
        if settings.precision == "int8":
            content = exporting_onnx.int8_bytes(content)
        (folder / name).write_bytes(content)


def check_export(folder: Path, model: Any, settings: ExportSettings) -> None:
    """Loads the export and compares the float32 model with Fairseq's on random symbols.

    Raises:
        ValueError: If it does not load, or its log-probabilities differ.
    """
    import numpy as np
    import torch

    from fairseq_subword_ext.runtime.beam_search import padded
    from fairseq_subword_ext.runtime.sessions import ExportedModel, Step

    exported = ExportedModel(folder, settings)
    if settings.precision != "float32":
        return
    draw = np.random.default_rng(1)
    shortest = min(settings.source_positions, 9)
    sources = [
        [*draw.integers(3, settings.source_symbols, length - 1), export_folder.EOS]
        for length in (shortest, max(1, shortest // 2), 1)
    ]
    rows = padded(sources)
    steps = min(settings.target_positions, 6)
    targets = draw.integers(3, settings.target_symbols, (len(rows), steps))
    targets[:, 0] = export_folder.EOS
    with torch.no_grad():
        lengths = torch.tensor([len(source) for source in sources])
        logits, _ = model(torch.tensor(rows), lengths, torch.tensor(targets))
        expected = torch.log_softmax(logits.float(), dim=-1).max(dim=-1).values.numpy()
    encoded = exported.encode(rows)
    nothing = np.zeros(settings.target_symbols, np.float32)
    never = np.zeros(len(rows), bool)
    scores = np.zeros((len(rows), 1), np.float32)
    for step in range(steps):
        parents = np.arange(len(rows)) if step else np.zeros(len(rows), np.int64)
        asked = Step(targets[:, step : step + 1], step, parents, scores, nothing, never)
        best, _ = exported.step(asked, encoded)
        difference = float(np.abs(best[:, 0] - expected[:, step]).max())
        if not difference < 1e-3:
            raise ValueError(
                f"the exported model differs from Fairseq's (log-probability by {difference:.2g} at "
                f"symbol {step + 1}); this version of torch or onnxruntime converts it incorrectly"
            )
