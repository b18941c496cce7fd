"""Reads Fairseq's checkpoints with ``weights_only`` on, so that no code in a file is executed."""

import inspect
import logging
import pickle
import re
import zipfile
from pathlib import Path
from typing import Any, Dict

from fairseq_subword_ext.textio.files import PathLike

# How torch's messages name a rejected type.
_REFUSED_TYPE = re.compile(r"GLOBAL ([\w.]+)")


def read_checkpoint(path: PathLike, fairseq_is_next: bool = False) -> Dict[str, Any]:
    """Reads a checkpoint; its tensors stay on disk until they are used.

    Args:
        path: the file.
        fairseq_is_next: Fairseq is about to load this very file. Torch before 2.4 has no way to
            allow Fairseq's harmless types, so it then loads the file as Fairseq would.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is not a Fairseq checkpoint, is truncated, or contains anything but
            data.
    """
    import torch

    path = Path(path)
    with path.open("rb"):  # distinguishes a missing file from a broken one
        pass
    options = {"map_location": "cpu", "weights_only": True}
    if zipfile.is_zipfile(path) and "mmap" in inspect.signature(torch.load).parameters:
        options["mmap"] = True
    try:
        if hasattr(torch.serialization, "add_safe_globals"):
            _allow_fairseq_types()
            state = torch.load(path, **options)
        elif fairseq_is_next:
            from fairseq import checkpoint_utils

            state = checkpoint_utils.load_checkpoint_to_cpu(str(path))
        else:
            raise ValueError(f"torch {torch.__version__} cannot read it safely; 2.4 or newer can")
    except Exception as error:  # torch may raise anything on a broken file
        raise ValueError(f"{path}: not a readable checkpoint: {reason(error)}") from error
    if not isinstance(state, dict) or not isinstance(state.get("model"), dict):
        raise ValueError(f"{path}: not a Fairseq checkpoint: there is no 'model' in it")
    return state


def reason(error: Exception) -> str:
    """Explains in one line why torch rejected a file.

    torch's own message advises turning ``weights_only`` off, which is never the right remedy.
    """
    text = str(error).strip()
    if isinstance(error, pickle.UnpicklingError) or "weights_only" in text:
        refused = _REFUSED_TYPE.search(text)
        if refused is not None:
            return f"it holds {refused[1]}, which is not data and could run code"
        return "it is not in torch's format"
    return text.split("\n")[0] if " " in text else "it is broken or cut off"


def _allow_fairseq_types() -> None:
    from fairseq_subword_ext.fairseq_compat import allow_checkpoint_types

    before = logging.root.manager.disable
    # Fairseq lists missing optional packages when it is imported.
    logging.disable(max(before, logging.INFO))
    try:
        allow_checkpoint_types()
    finally:
        logging.disable(before)
