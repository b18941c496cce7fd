"""Refuses options and data that do not fit together, before anything is trained."""

import logging
from typing import Optional, Sequence

from fairseq_subword_ext.checkpoints.fairseq_config import option, whole_config
from fairseq_subword_ext.data.input_lines import (
    STANDARD_INPUT,
    check_input_file,
    read_standard_input_as_utf8,
)
from fairseq_subword_ext.data.pair_folders import TARGET

logger = logging.getLogger(__name__)

FAIRSEQ_SCORING = "bleu"

# Options of Fairseq's translation task that this one cannot honor, with the value that disables them.
UNSUPPORTED = {"load_alignments": False, "num_batch_buckets": 0, "upsample_primary": -1}


def check_options(cfg) -> None:
    """Checks everything that can be checked without the data.

    Raises:
        ValueError: If the target is not English, an option is not supported, or fairseq-interactive
            cannot read its input file line by line.
    """
    if cfg.target_lang not in (None, TARGET):
        raise ValueError(
            f"this task translates into English only, but --target-lang is {cfg.target_lang!r}; "
            f"leave it out or give {TARGET}"
        )
    if not cfg.data:
        raise ValueError("give the folder of the data, such as data-bin")
    for name, unused in UNSUPPORTED.items():
        if getattr(cfg, name) != unused:
            raise ValueError(f"--{name.replace('_', '-')} is not supported by this task")
    if cfg.valid_sample is not None and cfg.valid_sample < 1:
        raise ValueError(f"--valid-sample must be 1 or more, not {cfg.valid_sample}")
    config = whole_config(cfg)
    input_file = option(config, "interactive", "input", STANDARD_INPUT)
    if input_file != STANDARD_INPUT:
        check_input_file(input_file)
    elif option(config, "common_eval", "path") is not None:  # perhaps fairseq-interactive
        read_standard_input_as_utf8()


def check_generation(cfg, has_targets: bool) -> None:
    """Checks the options of fairseq-generate, and warns about the default scoring.

    Args:
        cfg: the task's options.
        has_targets: whether the data has references.

    Raises:
        ValueError: If an option cannot work with fairseq-generate, or with this data.
    """
    config = whole_config(cfg)
    if option(config, "generation", "constraints") is not None:
        raise ValueError(
            "--constraints is for fairseq-interactive, whose input lines contain the constraints"
        )
    if not has_targets:
        if option(config, "generation", "replace_unk") is not None:
            raise ValueError(
                "fairseq-generate --replace-unk also reads the text of the targets, but this data has "
                "only sources"
            )
    elif getattr(config, "scoring", None) is not None and _scoring(config) == FAIRSEQ_SCORING:
        logger.warning(
            "--scoring bleu, Fairseq's default, computes BLEU on subwords, which is higher than on "
            "text: give --scoring sacrebleu"
        )


def _scoring(config) -> str:
    return getattr(config.scoring, "_name", config.scoring)


def check_best_metric(cfg, languages: Sequence[str]) -> None:
    """Checks that ``--best-checkpoint-metric`` names something that validation will log.

    Fairseq itself notices only after the first epoch, or never if it minimizes what should be maximized.

    Args:
        cfg: the task's options.
        languages: the languages with lines in the first valid set.

    Raises:
        ValueError: If it is a score of a language without data, or BLEU that is not computed or is minimized.
    """
    config = whole_config(cfg)
    metric: Optional[str] = option(config, "checkpoint", "best_checkpoint_metric")
    if metric is None:
        return
    kind, _, language = metric.partition("_")
    if metric.startswith("nll_loss_"):
        kind, language = "nll_loss", metric[len("nll_loss_") :]
    if kind not in ("bleu", "loss", "nll_loss") or metric == "nll_loss":
        return  # Fairseq's own, or the criterion's
    asked = f"--best-checkpoint-metric {metric}"
    if kind == "bleu" and not cfg.eval_bleu:
        raise ValueError(f"{asked} needs --eval-bleu")
    if language and language not in languages:
        raise ValueError(
            f"{asked}: no validation data for {language!r}; there is data for {', '.join(languages)}"
        )
    if kind == "bleu" and not option(config, "checkpoint", "maximize_best_checkpoint_metric"):
        raise ValueError(
            f"{asked} would keep the worst checkpoint; add --maximize-best-checkpoint-metric"
        )
