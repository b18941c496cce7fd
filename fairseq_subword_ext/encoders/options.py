"""Checks of the encoders' options, shared so that their messages are alike."""

import logging
from typing import Any, Collection, Optional

from fairseq import file_utils
from omegaconf import DictConfig

logger = logging.getLogger(__name__)

# What Fairseq's --post-process (--remove-bpe) calls the joining of pieces that end in @@.
JOINS_AT_SIGNS = ("subword_nmt", "@@ ", "@@")


def required_file(path: Optional[str], flag: str, encoder: str, what: str) -> str:
    """The local file that an option names.

    Options are optional for Fairseq, since a run that uses another encoder must not be asked for
    them; an encoder that needs one asks here.

    Args:
        path: the option's value: a path, or a URL, which Fairseq downloads.
        flag: the option as users type it.
        encoder: the name given to ``--bpe``.
        what: what the file has to be, for the message.

    Raises:
        ValueError: where the option or the file is missing.
    """
    if not path:
        raise ValueError(f"--bpe {encoder} needs {flag} FILE, {what}")
    try:
        return file_utils.cached_path(path)
    except OSError as error:
        raise ValueError(f"{flag} {path}: no such file; it has to be {what} ({error})") from None


def warn_about_post_process(cfg: Any, encoder: str, harmless: Collection[str] = ()) -> None:
    """Warns where Fairseq is going to undo a segmentation before the encoder can decode it.

    ``--post-process`` (``--remove-bpe``) is applied to a model's output first. ``sentencepiece`` and
    most others take all spaces out, and with them what the encoder tells the pieces apart by.

    Args:
        cfg: the encoder's configuration, as Fairseq hands it over: one part of the run's.
        encoder: the name given to ``--bpe``.
        harmless: ways of post-processing that this encoder does not mind.
    """
    run = cfg._get_parent() if isinstance(cfg, DictConfig) else None
    evaluation = run.get("common_eval") if isinstance(run, DictConfig) else None
    post_process = evaluation.get("post_process") if evaluation is not None else None
    if post_process in (None, "none", *harmless):
        return
    logger.warning(
        "--bpe %s decodes by itself, but --post-process (--remove-bpe) %s comes first and spoils its "
        "input, so that spaces or characters get lost: leave that option out",
        encoder,
        post_process.strip(),
    )
