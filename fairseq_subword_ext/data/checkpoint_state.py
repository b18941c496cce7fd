"""What a checkpoint says about its task, read without loading the model."""

import zipfile
from pathlib import Path
from typing import Optional

import torch
from fairseq import checkpoint_utils

from fairseq_subword_ext.data.finetune_parts import ALL, name_parts
from fairseq_subword_ext.data.x_en_checks import whole_config
from fairseq_subword_ext.textio.files import PathLike

TRANSFER_STATE = "transfer_x_en"  # the key of what a checkpoint keeps of a transfer
FAIRSEQ_DEFAULT = "checkpoint_last.pt"


def starting_checkpoint(checkpoint_cfg) -> Optional[Path]:
    """The file that fairseq-train will start from: its own last one, or one given.

    Args:
        checkpoint_cfg: the ``checkpoint`` part of the configuration.

    Returns:
        A file that exists, or None where training starts from scratch.
    """
    candidates = [checkpoint_cfg.restore_file]
    if checkpoint_cfg.restore_file == FAIRSEQ_DEFAULT:
        candidates = [
            Path(checkpoint_cfg.save_dir) / FAIRSEQ_DEFAULT,
            getattr(checkpoint_cfg, "continue_once", None),
            checkpoint_cfg.finetune_from_model,
        ]
    for candidate in candidates:
        if candidate is not None and Path(candidate).is_file():
            return Path(candidate)
    return None


def read_checkpoint(path: PathLike) -> dict:
    """What a checkpoint holds, the tensors left on disk until they are used.

    Nothing in the file is executed. An old torch, and an old file, are left to Fairseq's own way of
    loading.

    Raises:
        OSError, pickle.UnpicklingError: as torch.load.
    """
    if hasattr(torch.serialization, "add_safe_globals") and zipfile.is_zipfile(path):
        return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    return checkpoint_utils.load_checkpoint_to_cpu(str(path))


def read_task_state(path: PathLike) -> dict:
    """The task's state in a checkpoint; empty where the checkpoint is of another task.

    Raises:
        OSError, pickle.UnpicklingError: as torch.load.
    """
    return read_checkpoint(path).get("task_state") or {}


def compare_with_start(task) -> None:
    """Compares a training run with the checkpoint that it will go on from, if there is one.

    Fairseq compares shapes only, and shows a task its saved state only when a model is used.

    Args:
        task: one whose ``load_state_dict`` checks what it is given.

    Raises:
        ValueError: where the dictionary, the marking of sources, or what is trained is another.
    """
    config = whole_config(task.cfg)
    checkpoint = None if config is None else starting_checkpoint(config.checkpoint)
    if checkpoint is None:
        return
    asked = task.uses_language_token
    state = read_task_state(checkpoint)
    _compare_parts(task, state, checkpoint, config.checkpoint)
    task.load_state_dict(state)
    if task.uses_language_token != asked:
        trained, advice = ("with", "give") if task.uses_language_token else ("without", "leave out")
        raise ValueError(
            f"{checkpoint}, from which this run goes on, was trained {trained} --source-lang-token: "
            f"{advice} the option"
        )


def _compare_parts(task, state: dict, checkpoint: Path, checkpoint_cfg) -> None:
    """Refuses to go on with other parts than before, of which the optimizer knows nothing.

    torch's words for that ("parameter group") help nobody. The transfer task has looked already.
    """
    before = state.get(TRANSFER_STATE, {}).get("finetune", ALL)
    new_optimizer = checkpoint_cfg.reset_optimizer or (
        checkpoint_cfg.finetune_from_model is not None
        and checkpoint == Path(checkpoint_cfg.finetune_from_model)
    )
    if before != name_parts(task.trained_parts) and not new_optimizer:
        raise ValueError(
            f"{checkpoint}, from which this run would go on, is of --task transfer_x_en and trained "
            f"{before} only: give that task and --finetune {before}, or --reset-optimizer, or another "
            "--save-dir"
        )
