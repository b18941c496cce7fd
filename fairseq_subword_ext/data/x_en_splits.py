"""Loading one split of all languages as the task's options ask for it."""

import logging
from typing import Dict, Optional, Sequence

import numpy as np

from fairseq_subword_ext.data.common_dictionary import CommonDictionary, language_token_ids
from fairseq_subword_ext.data.language_ids import describe, write_language_ids
from fairseq_subword_ext.data.language_sampling import LanguageSampler, parse_weights
from fairseq_subword_ext.data.pair_files import join_pairs, open_split
from fairseq_subword_ext.data.pair_folders import PairFolders
from fairseq_subword_ext.data.x_en_dataset import XEnDataset

logger = logging.getLogger(__name__)


def load_split(
    cfg,
    folders: PairFolders,
    languages: Sequence[str],
    dictionary: CommonDictionary,
    split: str,
    training: bool,
    by_language: bool,
    with_language_token: bool,
    epoch: int = 1,
    combine: bool = False,
) -> XEnDataset:
    """Opens, joins and describes the pairs of every language that has the split.

    Args:
        cfg: the task's options.
        folders: where the pairs lie.
        languages: those to read.
        dictionary: of both sides.
        split: ``train``, ``valid``, ...
        training: sample and shuffle, instead of keeping every line.
        by_language: make batches of one language each for evaluation.
        with_language_token: put ``<lang:xx>`` before the sources.
        epoch: counted from 1, for languages that lie in several folders.
        combine: also read ``train1``, ``train2``, ...

    Raises:
        FileNotFoundError: where no language has the split.
        ValueError: for misaligned data, or options that do not fit it.
    """
    pairs = open_split(folders, languages, split, dictionary, cfg.dataset_impl, epoch, combine)
    sizes = {language: len(found) for language, found in pairs.items()}
    joined = join_pairs(list(pairs.values()))
    # fairseq-validate --valid-subset test inherits the options of training.
    is_validation = split in cfg.valid_subset.split(",") and not split.startswith("test")
    dataset = XEnDataset(
        joined.src,
        joined.src_sizes,
        dictionary,
        joined.tgt,
        joined.tgt_sizes,
        languages=sizes,
        language_tokens=language_token_ids(dictionary, sizes) if with_language_token else None,
        training=training,
        by_language=by_language and not training,
        sampler=_sampler(cfg, sizes) if training else None,
        subset=_subset(cfg, len(joined)) if is_validation and not training else None,
        cut_long_sources=cfg.truncate_source,
        seed=cfg.seed,
        name=split,
        left_pad_source=cfg.left_pad_source,
        left_pad_target=cfg.left_pad_target,
        pad_to_multiple=cfg.required_seq_len_multiple,
    )
    logger.info(describe(dataset))
    if not training and cfg.language_ids:
        write_language_ids(dataset, cfg.language_ids)
    return dataset


def wrap_input(
    src_tokens,
    src_lengths,
    dictionary: CommonDictionary,
    language: Optional[str],
    with_language_token: bool,
    **kwargs,
) -> XEnDataset:
    """Makes a dataset of lines that were read rather than binarized.

    Args:
        src_tokens: token ids of each line, ending in ``</s>``.
        src_lengths: their lengths.
        dictionary: of both sides.
        language: that of all lines, if it is known.
        with_language_token: put ``<lang:xx>`` before the lines.
        **kwargs: for :class:`XEnDataset`.

    Raises:
        ValueError: where the model wants to know the language and nobody has said it.
    """
    if with_language_token and language is None:
        raise ValueError(
            "the model was trained with --source-lang-token, so it has to be told the language of "
            "the input: -s si"
        )
    languages = {} if language is None else {language: len(src_tokens)}
    tokens = language_token_ids(dictionary, languages) if with_language_token else None
    return XEnDataset(
        src_tokens,
        src_lengths,
        dictionary,
        languages=languages,
        language_tokens=tokens,
        name="input",
        **kwargs,
    )


def _sampler(cfg, sizes: Dict[str, int]) -> Optional[LanguageSampler]:
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
