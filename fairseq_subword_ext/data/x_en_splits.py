"""Builds the dataset of one split of all languages from the task's options."""

import logging
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from fairseq_subword_ext.data.common_dictionary import CommonDictionary, language_token_ids
from fairseq_subword_ext.data.evaluation_pairs import EvaluationPairs, InputLines
from fairseq_subword_ext.data.from_text import FromText
from fairseq_subword_ext.data.language_ids import write_language_ids
from fairseq_subword_ext.data.language_sampling import LanguageSampler, parse_weights
from fairseq_subword_ext.data.original_text import OriginalText
from fairseq_subword_ext.data.pair_files import Pairs, join_pairs, open_split
from fairseq_subword_ext.data.pair_folders import TARGET, PairFolders
from fairseq_subword_ext.data.training_pairs import TrainingPairs
from fairseq_subword_ext.data.x_en_checks import (
    check_best_metric,
    check_generation,
    option,
    whole_config,
)
from fairseq_subword_ext.data.x_en_pairs import XEnPairs

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SplitRequest:
    """A call of a task's ``load_dataset``.

    Attributes:
        split: ``train``, ``valid``, ...
        epoch: counted from 1, for languages that lie in several folders; None from fairseq-generate,
            which gets batches of mixed languages, since they decode faster.
        combine: also read ``train1``, ``train2``, ...
        task_cfg: the checkpoint's task options, passed by commands that evaluate.
    """

    split: str
    epoch: Optional[int]
    combine: bool
    task_cfg: Any

    @property
    def is_translation(self) -> bool:
        """Whether fairseq-generate asks."""
        return self.epoch is None and self.task_cfg is not None


def load_split(
    cfg,
    folders: PairFolders,
    languages: Sequence[str],
    dictionary: CommonDictionary,
    marked: bool,
    request: SplitRequest,
    text: Optional[FromText] = None,
) -> XEnPairs:
    """Loads a split of every language that has it.

    Args:
        cfg: the task's options.
        folders: the folders with the pairs.
        languages: the source languages that the task found.
        dictionary: of both sides.
        marked: put ``<lang:xx>`` before the sources.
        request: what to load.
        text: segments the text, if the folders hold raw text.

    Raises:
        FileNotFoundError: If no language has the split.
        ValueError: If the data is misaligned, or the options do not fit it.
        OSError: If ``--language-ids`` cannot be written.
    """
    split = request.split
    languages = _languages_to_read(cfg, languages, request.task_cfg)
    with ExitStack() as stack:
        if text is not None:
            folders = stack.enter_context(_segmented(text, folders, languages, dictionary, request))
        pairs = open_split(
            folders,
            languages,
            split,
            dictionary,
            cfg.dataset_impl,
            request.epoch or 1,
            request.combine,
            source_is_enough=request.is_translation,
        )
    common = (cfg, pairs, dictionary, split, marked)
    if split == cfg.train_subset and request.task_cfg is None:
        dataset = training_pairs(*common)
    else:
        dataset = evaluation_pairs(*common, by_language=request.epoch is not None)
    if request.is_translation:
        check_generation(cfg, has_targets=dataset.tgt is not None)
    if request.task_cfg is None and split == cfg.valid_subset.split(",")[0]:
        check_best_metric(cfg, dataset.languages_in_use())
    return dataset


@contextmanager
def _segmented(
    text: FromText,
    folders: PairFolders,
    languages: Sequence[str],
    dictionary: CommonDictionary,
    request: SplitRequest,
) -> Iterator[PairFolders]:
    """Lends the folders of raw text in their segmented form."""
    prefixes = {
        prefix: (language, TARGET)
        for language in languages
        for prefix in folders.prefixes(language, request.split, request.epoch or 1, request.combine)
    }
    if not prefixes:
        yield folders
        return
    with text.opened(
        prefixes,
        request.split,
        request.epoch,
        [dictionary],
        request.task_cfg,
        source_is_enough=request.is_translation,
    ) as folder:
        yield folders.moved_to(folder)


def _languages_to_read(cfg, languages: Sequence[str], task_cfg) -> List[str]:
    """The languages asked for; if a checkpoint is evaluated, by default those it was trained on."""
    if cfg.source_lang or cfg.source_langs or task_cfg is None:
        return list(languages)
    trained = task_cfg.get("source_lang") or task_cfg.get("source_langs") or ""
    known = [language for language in languages if language in trained.split(",")]
    return known or list(languages)  # all, if a model is tried on other languages


def training_pairs(
    cfg, pairs: Mapping[str, Pairs], dictionary: CommonDictionary, split: str, marked: bool
) -> TrainingPairs:
    """The pairs to train on, with the task's options applied.

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
    """The pairs to validate on or to translate, with the task's options applied.

    Args:
        cfg, pairs, dictionary, split, marked: as in :func:`training_pairs`.
        by_language: whether each batch has only one language.

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
    """The arguments that both kinds of dataset take."""
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
    """Makes a dataset of lines that were read, not binarized.

    Args:
        src_tokens: token ids of each line, ending in ``</s>``.
        src_lengths: their lengths.
        dictionary: of both sides.
        language: the language of all lines, if known.
        marked: put ``<lang:xx>`` before the lines.
        **kwargs: for :class:`.InputLines`.

    Raises:
        ValueError: If the model needs the language and none is given.
    """
    if marked and language is None:
        raise ValueError(
            "the model was trained with --source-lang-token and needs the language of the input: give "
            "-s si to fairseq-interactive, source_lang='si' to from_pretrained"
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
