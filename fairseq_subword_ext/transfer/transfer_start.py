"""Decides where a transfer run starts: at its parent, or at its own last checkpoint."""

import logging
from typing import Optional, Tuple

from fairseq_subword_ext.checkpoints.fairseq_config import option, whole_config
from fairseq_subword_ext.checkpoints.task_state import (
    FAIRSEQ_DEFAULT,
    read_task_state,
    starting_checkpoint,
)
from fairseq_subword_ext.transfer.finetune_parts import name_parts

logger = logging.getLogger(__name__)

TRANSFER_STATE = "transfer_x_en"  # key of the transfer's state in a checkpoint


def run_to_resume(task_cfg, trained: Tuple[str, ...]) -> Optional[dict]:
    """The saved state of the run that Fairseq will resume, if there is one.

    Args:
        task_cfg: the task's options.
        trained: the parts to train.

    Returns:
        Its ``finetune`` and ``parent``; None if the run starts from its parent.

    Raises:
        ValueError: If Fairseq's own options contradict the transfer, or the run to resume is of another
            task or trained other parts.
    """
    config = whole_config(task_cfg)
    if option(config, "distributed_training", "ddp_backend") == "fully_sharded":
        raise ValueError("--task transfer_x_en does not support --ddp-backend fully_sharded")
    if option(config, "checkpoint", "finetune_from_model") is not None:
        raise ValueError(
            "--finetune-from-model would replace the parent's weights: give that file only as "
            "--parent-checkpoint"
        )
    checkpoint = None if config is None else starting_checkpoint(config.checkpoint)
    if checkpoint is None:
        return None
    own = read_task_state(checkpoint).get(TRANSFER_STATE)
    if own is None:
        raise ValueError(
            f"{checkpoint} is not a run of --task transfer_x_en: resuming it would also restore its "
            f"optimizer, schedule and number of updates; {_alternative(config.checkpoint.restore_file)}"
        )
    asked, before = name_parts(trained), own["finetune"]
    if asked != before and not config.checkpoint.reset_optimizer:
        raise ValueError(
            f"{checkpoint}, from which this run would resume, trained {before}, not {asked}: give "
            f"--finetune {before}, or another --save-dir for a new run from the parent"
        )
    logger.info(
        f"resuming, not starting from the parent: {checkpoint} (parts trained: {before}; its parent was "
        f"{own['parent']})"
    )
    if task_cfg.parent_checkpoint not in (None, own["parent"]):
        logger.warning(f"--parent-checkpoint {task_cfg.parent_checkpoint} is ignored")
    return own


def _alternative(restore_file: str) -> str:
    if restore_file == FAIRSEQ_DEFAULT:
        return "give another --save-dir"
    return "give it as --parent-checkpoint instead of --restore-file"
