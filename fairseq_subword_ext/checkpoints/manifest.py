"""Builds MANIFEST.json, the description of a packed model."""

from typing import Any, Dict, List

from fairseq_subword_ext.checkpoints.consistency import signature_of
from fairseq_subword_ext.checkpoints.languages import X_EN_TASKS
from fairseq_subword_ext.checkpoints.model_folder import Packed, State
from fairseq_subword_ext.checkpoints.model_page import loading_lines
from fairseq_subword_ext.checkpoints.model_parts import NO_ENCODER, ModelParts
from fairseq_subword_ext.checkpoints.packed_checkpoint import CODES_NAME, option
from fairseq_subword_ext.tested_versions import installed
from fairseq_subword_ext.version import __version__


def manifest_of(
    name: str, parts: ModelParts, packed: Packed, keep_optimizer: bool
) -> Dict[str, Any]:
    """The manifest without its list of files."""
    model = packed.states[0]["cfg"]["model"]
    encoder = packed.encoder or {}
    return {
        "name": name,
        "about": parts.about,
        "checkpoints": dict(zip(packed.names, map(training_of, packed.states))),
        "model": {
            "arch": option(model, "_name") or option(model, "arch"),
            "parameters": count_parameters(packed.states[0]["model"]),
        },
        "task": task_of(packed.states[0]),
        "encoder": {key: value for key, value in encoder.items() if value is not None},
        "codes": signature_of(parts.codes),
        "generate": parts.generate,
        "optimizer_state": "kept" if keep_optimizer else "left out",
        "versions": versions(),
        "load": loading_lines(name, packed.names, packed.generation["beam"]),
        "command": command_line(packed.states[0], parts, packed.names),
    }


def task_of(state: State) -> Dict[str, str]:
    """The name of the task, and its languages in words."""
    task = state["cfg"]["task"]
    name = option(task, "_name")
    source = option(task, "source_langs") or option(task, "source_lang")
    target = option(task, "target_lang") or "en"
    return {"name": name, "languages": f"{source or 'many languages'} into {target}"}


def training_of(state: State) -> Dict[str, Any]:
    """How long a checkpoint was trained, and its best validation score."""
    extra = state.get("extra_state") or {}
    history = state.get("optimizer_history") or [{}]
    return {
        "updates": history[-1].get("num_updates"),
        "epoch": (extra.get("train_iterator") or {}).get("epoch"),
        "best_validation_score": extra.get("best"),
        "seed": option(state["cfg"].get("common"), "seed"),
    }


def count_parameters(model: Dict[str, Any]) -> int:
    """The number of parameters; tied ones count once."""
    distinct = {(t.data_ptr(), tuple(t.shape)): t.numel() for t in model.values() if t.numel() > 1}
    return sum(distinct.values())


def versions() -> Dict[str, str]:
    import torch

    found = {"fairseq_subword_ext": __version__}
    return {**found, **installed(), "torch": torch.__version__}


def command_line(state: State, parts: ModelParts, names: List[str]) -> str:
    """The fairseq-interactive command for the archive's files."""
    task = state["cfg"]["task"]
    words = [
        'fairseq-interactive . --user-dir "$(fairseq-subword user-dir)"',
        f"--path {':'.join(names)}",
    ]
    name = option(task, "_name")
    if name in X_EN_TASKS:
        words.append("--task multilingual_x_en")
    else:
        words += [f"--task {name}"] if name != "translation" else []
        words.append(f"-s {option(task, 'source_lang')} -t {option(task, 'target_lang')}")
    if parts.encoder != NO_ENCODER:
        words.append(f"--bpe {parts.encoder}")
        words += [f"--bpe-codes {CODES_NAME}"] if parts.codes else []
        words += [
            f"--{key.replace('_', '-')} '{value}'" for key, value in parts.encoder_options.items()
        ]
    return " ".join([*words, *([parts.generate] if parts.generate else []), "< input.txt"])
