"""Checks the members of an ensemble, which a task sees one at a time."""

from typing import Any, Dict, List, Tuple

from fairseq import utils

from fairseq_subword_ext.checkpoints.comparing import compare_members
from fairseq_subword_ext.checkpoints.fairseq_config import option, whole_config


class EnsembleMembers:
    """Compares each checkpoint that Fairseq loads for a task with the first one.

    Args:
        task_cfg: the task's options. Fairseq does not pass the name of the file that it loads, but
            ``--path`` may be among the options.
    """

    def __init__(self, task_cfg):
        self._task_cfg = task_cfg
        self._loaded: List[Tuple[str, Dict[str, Any]]] = []

    def add(self, state: Dict[str, Any]) -> str:
        """Adds a checkpoint.

        Args:
            state: its ``task_state``.

        Returns:
            The checkpoint's name for messages.

        Raises:
            ValueError: If it cannot form an ensemble with the first one.
        """
        name = self._next_name()
        if self._loaded:
            compare_members(*self._loaded[0], name, state)
        self._loaded.append((name, state))
        return name

    def _next_name(self) -> str:
        number = len(self._loaded)
        paths = option(whole_config(self._task_cfg), "common_eval", "path")
        names = [] if paths is None else utils.split_paths(paths)
        return names[number] if number < len(names) else f"checkpoint {number + 1}"
