"""Options and data that do not fit together, refused before anything is trained."""

from typing import Optional, Sequence

from fairseq_subword_ext.data.common_dictionary import first_difference
from fairseq_subword_ext.data.pair_files import refuse_lone_carriage_return
from fairseq_subword_ext.data.pair_folders import TARGET

# Options of fairseq's translation task that this one cannot honour, with the value that means "no".
UNSUPPORTED = {"load_alignments": False, "num_batch_buckets": 0, "upsample_primary": -1}

STANDARD_INPUT = "-"


def whole_config(task_cfg):
    """The configuration that the task's is a part of, or None where it stands alone.

    Fairseq hands a task no more than its own options, and this is the one way to the encoder that
    was asked for and to the name of the input file.
    """
    parent = getattr(task_cfg, "_get_parent", None)
    return None if parent is None else parent()


def option(config, group: str, name: str, default=None):
    """``config.group.name``, or the default where the configuration has no such part."""
    return getattr(getattr(config, group, None), name, default)


def check_options(cfg) -> None:
    """Checks what can be checked before the data is seen.

    Raises:
        ValueError: for another target than English, an option that has no meaning here, or an input
            file that fairseq-interactive would split in other places than its lines' ends.
    """
    if cfg.target_lang not in (None, TARGET):
        raise ValueError(
            f"this task translates into English only, but --target-lang is {cfg.target_lang!r}; "
            f"leave it out or give {TARGET}"
        )
    if not cfg.data:
        raise ValueError("give the folder of the binarized data, e.g. data-bin")
    for name, unused in UNSUPPORTED.items():
        if getattr(cfg, name) != unused:
            raise ValueError(f"--{name.replace('_', '-')} is not supported by this task")
    if cfg.valid_sample is not None and cfg.valid_sample < 1:
        raise ValueError(f"--valid-sample has to be 1 or more, found {cfg.valid_sample}")
    input_file = option(whole_config(cfg), "interactive", "input", STANDARD_INPUT)
    if input_file != STANDARD_INPUT:
        refuse_lone_carriage_return(input_file)


def check_best_metric(cfg, languages: Sequence[str]) -> None:
    """Makes sure that ``--best-checkpoint-metric`` names something that validation will log.

    Fairseq itself finds out after the first epoch, or never, where the sense is wrong.

    Args:
        cfg: the task's options.
        languages: those with lines in the first valid set.

    Raises:
        ValueError: for a score of another language, or BLEU that is not computed or is minimized.
    """
    config = whole_config(cfg)
    metric: Optional[str] = option(config, "checkpoint", "best_checkpoint_metric")
    if metric is None:
        return
    kind, _, language = metric.partition("_")
    if metric.startswith("nll_loss_"):
        kind, language = "nll_loss", metric[len("nll_loss_") :]
    if kind not in ("bleu", "loss", "nll_loss") or metric == "nll_loss":
        return  # fairseq's own, or the criterion's
    asked = f"--best-checkpoint-metric {metric}"
    if kind == "bleu" and not cfg.eval_bleu:
        raise ValueError(f"{asked} needs --eval-bleu")
    if language and language not in languages:
        raise ValueError(
            f"{asked}: no validation data for {language!r}; there is for: {', '.join(languages)}"
        )
    if kind == "bleu" and not option(config, "checkpoint", "maximize_best_checkpoint_metric"):
        raise ValueError(
            f"{asked} would keep the worst checkpoint; add --maximize-best-checkpoint-metric"
        )


def check_dictionary(found: Sequence[str], trained: Sequence[str], data: str) -> None:
    """Compares the data's dictionary with the one a model was trained with.

    Shapes alone would let a dictionary in another order pass, and the model would read other words
    than were written.

    Args:
        found: the symbols of the data's dictionary, by id.
        trained: those of the model's.
        data: the folder of ``found``, for the message.

    Raises:
        ValueError: naming the first difference.
    """
    difference = first_difference(trained, found)
    if difference is not None:
        position, expected, here = difference
        raise ValueError(
            f"the dictionary in {data} is not the one that the model was trained with: entry "
            f"{position} (four of them are special) was {expected} in training and is {here} now; "
            "binarize with `fairseq-preprocess --srcdict FILE --tgtdict FILE` and the dict.en.txt of the "
            "model's own data"
        )
