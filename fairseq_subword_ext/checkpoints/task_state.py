"""Reads the task's state from a checkpoint before a model is built."""

import logging
from pathlib import Path
from typing import Optional

from fairseq_subword_ext.checkpoints.comparing import X_EN_STATE
from fairseq_subword_ext.checkpoints.fairseq_config import whole_config
from fairseq_subword_ext.checkpoints.reading import read_checkpoint
from fairseq_subword_ext.textio.files import PathLike

logger = logging.getLogger(__name__)

FAIRSEQ_DEFAULT = "checkpoint_last.pt"

# What ``trains`` holds if a run trained every part.
ALL = "all"


def starting_checkpoint(checkpoint_cfg) -> Optional[Path]:
    """The checkpoint that fairseq-train will start from: its own last one, or a given one.

    Args:
        checkpoint_cfg: the ``checkpoint`` section of the configuration.

    Returns:
        An existing file, or None if training starts from scratch.
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


def resumed_checkpoint(checkpoint_cfg) -> Optional[Path]:
    """The checkpoint whose place in the training data fairseq-train takes over.

    Args:
        checkpoint_cfg: as for :func:`starting_checkpoint`.

    Returns:
        An existing file, or None if training begins with epoch 1.
    """
    path = starting_checkpoint(checkpoint_cfg)
    finetuned = checkpoint_cfg.finetune_from_model
    if path is None or checkpoint_cfg.reset_dataloader:
        return None
    return None if finetuned is not None and path == Path(finetuned) else path


def read_task_state(path: PathLike) -> dict:
    """The task's state in a checkpoint; empty if the task is another package's.

    Raises:
        ValueError, OSError: As for :func:`.read_checkpoint`.
    """
    return read_checkpoint(path, fairseq_is_next=True).get("task_state") or {}


def trained_part(task_state: dict) -> str:
    """The parts of the model that a run trained, as ``--finetune`` names them."""
    # Older checkpoints keep this with the state of the transfer, not in the common state.
    older = task_state.get("transfer_x_en", {}).get("finetune", ALL)
    return task_state.get(X_EN_STATE, {}).get("trains", older)


def compare_with_start(task) -> None:
    """Compares a training run with the checkpoint that it will start from, if there is one.

    Fairseq compares only shapes, and passes a task its saved state only when a model is used.

    Args:
        task: an X-En task.

    Raises:
        ValueError: If the dictionary, the language tokens, or the trained parts differ.
        FileNotFoundError: If ``--finetune-from-model`` names no file.
    """
    config = whole_config(task.cfg)
    if config is None:
        return
    checkpoint = starting_checkpoint(config.checkpoint)
    new_optimizer = config.checkpoint.reset_optimizer
    finetuned = config.checkpoint.finetune_from_model
    if finetuned is not None:
        if not Path(finetuned).is_file():
            raise FileNotFoundError(2, "--finetune-from-model: no such file", str(finetuned))
        if checkpoint == Path(finetuned):
            new_optimizer = True
        elif checkpoint is not None:  # for example a job that was requeued
            logger.warning(f"resuming from {checkpoint}; {finetuned} is not read")
    if checkpoint is None:
        return
    asked = task.uses_language_token
    state = read_task_state(checkpoint)
    before = trained_part(state)
    if before != task.trains and not new_optimizer:
        # Its optimizer has no state for the other parts; torch would complain of a "parameter group".
        raise ValueError(
            f"{checkpoint}, from which this run would resume, trained {before} only: give "
            f"--task transfer_x_en --finetune {before}, or --reset-optimizer, or another --save-dir"
        )
    task.adopt(checkpoint, state)
    if task.uses_language_token != asked:
        trained, advice = ("with", "give") if task.uses_language_token else ("without", "leave out")
        raise ValueError(
            f"{checkpoint}, from which this run resumes, was trained {trained} --source-lang-token: "
            f"{advice} the option"
        )
