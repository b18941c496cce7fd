"""Checks of options that all encoders share."""

import logging
from pathlib import Path
from typing import Any, Collection

from fairseq import file_utils
from fairseq.tasks import TASK_REGISTRY
from omegaconf import DictConfig

logger = logging.getLogger(__name__)

# The values of Fairseq's --post-process (--remove-bpe) that join pieces ending in @@.
JOINS_AT_SIGNS = ("subword_nmt", "@@ ", "@@")

# Fairseq's defaults of --max-len-a and --max-len-b.
FAIRSEQ_LENGTHS = (0, 200)


def required_file(path: str, flag: str, what: str) -> str:
    """The local file that an option names.

    Args:
        path: the option's value: a path, or a URL, which Fairseq downloads.
        flag: the option as users type it.
        what: what the file must be, for the message.

    Raises:
        ValueError: If the file is missing.
    """
    try:
        local = file_utils.cached_path(path)
    except OSError as error:
        raise ValueError(f"{flag} {path}: no such file; expected: {what} ({error})") from None
    if Path(local).is_dir():
        raise ValueError(f"{flag} {path}: this is a folder; expected a file: {what}")
    return local


def warn_about_post_process(cfg: Any, encoder: str, harmless: Collection[str] = ()) -> None:
    """Warns if Fairseq will join pieces before the encoder can decode them.

    ``--post-process`` (``--remove-bpe``) is applied to a model's output first. ``sentencepiece`` and most
    other values remove all spaces, which the encoder needs to tell the pieces apart.

    Args:
        cfg: the encoder's configuration as Fairseq passes it, a part of the run's configuration.
        encoder: the name given to ``--bpe``.
        harmless: values of ``--post-process`` that are harmless with this encoder.
    """
    post_process = _option(cfg, "common_eval", "post_process")
    if post_process in (None, "none", *harmless):
        return
    logger.warning(
        "--bpe %s decodes the output itself, but --post-process (--remove-bpe) %s runs first and breaks "
        "its input, so that spaces or characters are lost: leave that option out",
        encoder,
        post_process.strip(),
    )


def warn_about_lengths(cfg: Any, encoder: str) -> None:
    """Warns if Fairseq will cut outputs after 200 symbols that are only a letter or a byte each.

    The tasks of this package choose a limit that suits such symbols; Fairseq's own do not, and cut outputs
    silently.

    Args:
        cfg: the encoder's configuration as Fairseq passes it, a part of the run's configuration.
        encoder: the name given to ``--bpe``.
    """
    lengths = tuple(_option(cfg, "generation", f"max_len_{name}") for name in "ab")
    task = TASK_REGISTRY.get(_option(cfg, "task", "_name"))
    if (
        lengths != FAIRSEQ_LENGTHS
        or _option(cfg, "common_eval", "path") is None  # nothing will be translated
        or task is None
        or task.__module__.startswith("fairseq_subword_ext.")
    ):
        return
    logger.warning(
        "outputs end after 200 symbols, which are at most 200 letters with --bpe %s: give --max-len-a 3 "
        "--max-len-b 200, or a --task of this package, which does so and counts the outputs it cuts",
        encoder,
    )


def _option(cfg: Any, group: str, name: str) -> Any:
    """An option of the run that an encoder's configuration is part of; None if there is none."""
    run = cfg._get_parent() if isinstance(cfg, DictConfig) else None
    part = run.get(group) if isinstance(run, DictConfig) else None
    return part.get(name) if isinstance(part, DictConfig) else None
