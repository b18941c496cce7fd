"""Checks of the encoders' options, shared so that their messages are alike."""

import logging
from pathlib import Path
from typing import Any, Collection

from fairseq import file_utils
from fairseq.tasks import TASK_REGISTRY
from omegaconf import DictConfig

logger = logging.getLogger(__name__)

# What Fairseq's --post-process (--remove-bpe) calls the joining of pieces that end in @@.
JOINS_AT_SIGNS = ("subword_nmt", "@@ ", "@@")

# Fairseq's --max-len-a and --max-len-b where nobody gives them.
FAIRSEQ_LENGTHS = (0, 200)


def required_file(path: str, flag: str, what: str) -> str:
    """The local file that an option names.

    Args:
        path: the option's value: a path, or a URL, which Fairseq downloads.
        flag: the option as users type it.
        what: what the file has to be, for the message.

    Raises:
        ValueError: If the file is missing.
    """
    try:
        local = file_utils.cached_path(path)
    except OSError as error:
        raise ValueError(f"{flag} {path}: no such file; it has to be: {what} ({error})") from None
    if Path(local).is_dir():
        raise ValueError(f"{flag} {path}: this is a folder; give the file, {what}")
    return local


def warn_about_post_process(cfg: Any, encoder: str, harmless: Collection[str] = ()) -> None:
    """Warns where Fairseq is going to undo a segmentation before the encoder can decode it.

    ``--post-process`` (``--remove-bpe``) is applied to a model's output first. ``sentencepiece`` and
    most others take all spaces out, and with them what the encoder tells the pieces apart by.

    Args:
        cfg: the encoder's configuration, as Fairseq hands it over: one part of the run's.
        encoder: the name given to ``--bpe``.
        harmless: ways of post-processing that this encoder does not mind.
    """
    post_process = _option(cfg, "common_eval", "post_process")
    if post_process in (None, "none", *harmless):
        return
    logger.warning(
        "--bpe %s decodes by itself, but --post-process (--remove-bpe) %s comes first and spoils its "
        "input, so that spaces or characters get lost: leave that option out",
        encoder,
        post_process.strip(),
    )


def warn_about_lengths(cfg: Any, encoder: str) -> None:
    """Warns where Fairseq is going to cut outputs after 200 symbols of one letter, or less, each.

    The tasks of this package choose a length that suits such symbols; Fairseq's own do not, and say
    nothing of what they cut.

    Args:
        cfg: the encoder's configuration, as Fairseq hands it over: one part of the run's.
        encoder: the name given to ``--bpe``.
    """
    lengths = tuple(_option(cfg, "generation", f"max_len_{name}") for name in "ab")
    task = TASK_REGISTRY.get(_option(cfg, "task", "_name"))
    if (
        lengths != FAIRSEQ_LENGTHS
        or _option(cfg, "common_eval", "path") is None  # nothing is going to be translated
        or task is None
        or task.__module__.startswith("fairseq_subword_ext.")
    ):
        return
    logger.warning(
        "outputs end after 200 symbols, which with --bpe %s are 200 letters or fewer: give --max-len-a 3 "
        "--max-len-b 200, or a --task of this package, which does so and counts what it cuts",
        encoder,
    )


def _option(cfg: Any, group: str, name: str) -> Any:
    """An option of the run that an encoder's configuration is a part of; None where there is none."""
    run = cfg._get_parent() if isinstance(cfg, DictConfig) else None
    part = run.get(group) if isinstance(run, DictConfig) else None
    return part.get(name) if isinstance(part, DictConfig) else None
