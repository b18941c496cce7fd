"""Datasets of one split of all languages, as the task's options ask for them."""

import logging
from typing import Mapping, Optional, Tuple

import numpy as np

from fairseq_subword_ext.data.common_dictionary import CommonDictionary, language_token_ids
from fairseq_subword_ext.data.evaluation_pairs import EvaluationPairs, InputLines
from fairseq_subword_ext.data.language_ids import write_language_ids
from fairseq_subword_ext.data.language_sampling import LanguageSampler, parse_weights
from fairseq_subword_ext.data.original_text import OriginalText
from fairseq_subword_ext.data.pair_files import Pairs, join_pairs
from fairseq_subword_ext.data.training_pairs import TrainingPairs
from fairseq_subword_ext.data.x_en_checks import option, whole_config

logger = logging.getLogger(__name__)


def training_pairs(
    cfg, pairs: Mapping[str, Pairs], dictionary: CommonDictionary, split: str, marked: bool
) -> TrainingPairs:
    """The pairs to train on, as the task's options ask for them.

    Args:
        cfg: the task's options.
        pairs: by language.
        dictionary: of both sides.
        split: its name, for messages.
        marked: put ``<lang:xx>`` before the sources.

    Raises:
        ValueError: If an option does not fit the data.
    """
    joined, common = _joined(cfg, pairs, dictionary, split, marked)
    dataset = TrainingPairs(
        *joined,
        **common,
        sampler=_sampler(cfg, common["languages"]),
        cut_long_sources=cfg.truncate_source,
        seed=cfg.seed,
    )
    logger.info(dataset.describe())
    return dataset


def evaluation_pairs(
    cfg,
    pairs: Mapping[str, Pairs],
    dictionary: CommonDictionary,
    split: str,
    marked: bool,
    by_language: bool,
) -> EvaluationPairs:
    """The pairs to validate on or to translate, as the task's options ask for them.

    Args:
        cfg, pairs, dictionary, split, marked: as of :func:`training_pairs`.
        by_language: make batches of one language each.

    Raises:
        ValueError: If an option does not fit the data.
        OSError: If ``--language-ids`` cannot be written.
    """
    joined, common = _joined(cfg, pairs, dictionary, split, marked)
    # fairseq-validate --valid-subset test inherits the options of training.
    is_validation = split in cfg.valid_subset.split(",") and not split.startswith("test")
    dataset = EvaluationPairs(
        *joined,
        **common,
        by_language=by_language,
        subset=_subset(cfg, len(joined[0])) if is_validation else None,
    )
    if cfg.dataset_impl == "raw":
        post_process = option(whole_config(cfg), "common_eval", "post_process")
        dataset.src = OriginalText(dataset.src, post_process)
        if dataset.tgt is not None:
            dataset.tgt = OriginalText(dataset.tgt, post_process)
    logger.info(dataset.describe())
    if cfg.language_ids:
        write_language_ids(dataset, cfg.language_ids)
    return dataset


def _joined(cfg, pairs, dictionary, split: str, marked: bool) -> Tuple[tuple, dict]:
    """The arguments that both kinds of datasets take."""
    sizes = {language: len(found) for language, found in pairs.items()}
    joined = join_pairs(list(pairs.values()))
    return (joined.src, joined.src_sizes, dictionary, joined.tgt, joined.tgt_sizes), {
        "languages": sizes,
        "language_tokens": language_token_ids(dictionary, sizes) if marked else None,
        "name": split,
        "left_pad_source": cfg.left_pad_source,
        "left_pad_target": cfg.left_pad_target,
        "pad_to_multiple": cfg.required_seq_len_multiple,
    }


def input_lines(
    src_tokens,
    src_lengths,
    dictionary: CommonDictionary,
    language: Optional[str],
    marked: bool,
    **kwargs,
) -> InputLines:
    """Makes a dataset of lines that were read rather than binarized.

    Args:
        src_tokens: token ids of each line, ending in ``</s>``.
        src_lengths: their lengths.
        dictionary: of both sides.
        language: that of all lines, if it is known.
        marked: put ``<lang:xx>`` before the lines.
        **kwargs: for :class:`.InputLines`.

    Raises:
        ValueError: If the model wants to know the language and nobody has said it.
    """
    if marked and language is None:
        raise ValueError(
            "the model was trained with --source-lang-token, so it must be told the language of the "
            "input: -s si for fairseq-interactive, source_lang='si' for from_pretrained"
        )
    languages = {} if language is None else {language: len(src_tokens)}
    tokens = language_token_ids(dictionary, languages) if marked else None
    return InputLines(
        src_tokens, src_lengths, dictionary, languages=languages, language_tokens=tokens, **kwargs
    )


def _sampler(cfg, sizes: Mapping[str, int]) -> Optional[LanguageSampler]:
    """None for a plain concatenation."""
    if cfg.sampling_temperature == 1 and not cfg.sampling_weights:
        return None
    weights = parse_weights(cfg.sampling_weights or "", list(sizes))
    return LanguageSampler(sizes, cfg.sampling_temperature, weights, cfg.seed)


def _subset(cfg, lines: int) -> Optional[np.ndarray]:
    """The ids of ``--valid-sample``, or None for all."""
    if cfg.valid_sample is None or cfg.valid_sample >= lines:
        return None
    drawn = np.random.default_rng(cfg.seed).choice(lines, cfg.valid_sample, replace=False)
    return np.sort(drawn)
