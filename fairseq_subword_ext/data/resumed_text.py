"""Compares the text of a run that resumes with the text that its checkpoint was trained on."""

import logging
import os
from pathlib import Path
from typing import Any, Dict, Mapping, NamedTuple, Optional

from fairseq_subword_ext.checkpoints.comparing import TEXT_STATE
from fairseq_subword_ext.checkpoints.fairseq_config import whole_config
from fairseq_subword_ext.checkpoints.reading import read_checkpoint
from fairseq_subword_ext.checkpoints.task_state import resumed_checkpoint
from fairseq_subword_ext.data.x_en_pairs import shortened_list

logger = logging.getLogger(__name__)

Checksums = Dict[str, str]


class _Before(NamedTuple):
    """What the checkpoint holds.

    Attributes:
        name: of the checkpoint.
        texts: split -> text -> SHA-256.
        epoch: the epoch in which the run resumes.
        within: whether a part of that epoch is done.
    """

    name: str
    texts: Mapping[str, Checksums]
    epoch: int
    within: bool


class ResumedText:
    """The checksums of the texts that a run reads, which each of its checkpoints keeps.

    Args:
        task_cfg: the task's options.
    """

    def __init__(self, task_cfg: Any):
        self._cfg = task_cfg
        self._texts: Dict[str, Checksums] = {}
        self._before: Optional[_Before] = None

    def state_dict(self) -> Dict[str, Any]:
        """What checkpoints keep, under a key of its own."""
        return {TEXT_STATE: {split: dict(texts) for split, texts in self._texts.items()}}

    def read(self, split: str, checksums: Mapping[Path, str], trains: bool) -> None:
        """Records the texts of a split, and compares them with the checkpoint when they are first read.

        Args:
            split: its name.
            checksums: SHA-256 of each text, by the path of the data.
            trains: whether the run trains on them.

        Raises:
            ValueError: If the run would resume within an epoch of another text.
        """
        # Paths below the first folder stay the same if the data moves, and differ for the folders that
        # epochs take in turn.
        start = str(self._cfg.data).split(os.pathsep, 1)[0]
        texts = {os.path.relpath(path, start): digest for path, digest in checksums.items()}
        if split not in self._texts:
            self._compare(split, texts, trains)
        self._texts[split] = texts

    def _compare(self, split: str, texts: Checksums, trains: bool) -> None:
        if self._before is None:
            self._before = _read(self._cfg)
        before = self._before
        old = before.texts.get(split)
        if old is None:
            return
        differences = [
            f"{name} has changed" for name in old if name in texts and texts[name] != old[name]
        ]
        if trains and before.within:
            differences += [f"{name} is missing" for name in old if name not in texts]
            differences += [f"{name} is new" for name in texts if name not in old]
        if not differences:
            return
        message = f"the {split} text is not that of {before.name}: {shortened_list(differences)}"
        if trains and before.within:
            raise ValueError(
                f"{message}; this run would resume in the middle of epoch {before.epoch}: restore the old "
                "text, or give --reset-dataloader to train on the new one from its beginning"
            )
        consequence = (
            f"epoch {before.epoch} is the first to use the new text"
            if trains
            else "scores before and after it cannot be compared"
        )
        logger.warning(f"{message}; {consequence}")


def _read(task_cfg: Any) -> _Before:
    """The record of the checkpoint whose position in the data the run takes over, if there is one."""
    config = whole_config(task_cfg)
    path = None if config is None else resumed_checkpoint(config.checkpoint)
    if path is None:
        return _Before("", {}, 1, False)
    state = read_checkpoint(path, fairseq_is_next=True)
    iterator = (state.get("extra_state") or {}).get("train_iterator") or {}
    return _Before(
        str(path),
        (state.get("task_state") or {}).get(TEXT_STATE) or {},
        iterator.get("epoch", 1),
        iterator.get("iterations_in_epoch", 0) > 0,
    )
