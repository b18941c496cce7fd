"""``--task translation_from_text``: Fairseq's translation task, trained on raw text."""

import logging

from fairseq import utils
from fairseq.data import data_utils
from fairseq.tasks import register_task
from fairseq.tasks.translation import TranslationTask

from fairseq_subword_ext.checkpoints.comparing import TEXT_STATE
from fairseq_subword_ext.checkpoints.fairseq_config import whole_config
from fairseq_subword_ext.data.from_text import FromText
from fairseq_subword_ext.data.loader_workers import ending_with_epoch
from fairseq_subword_ext.data.pair_text import (
    Decoders,
    TranslationFromTextConfig,
    find_dictionaries,
    is_binarized,
    record_languages,
    text_prefixes,
)
from fairseq_subword_ext.encoders.codec_encoder import encoding_of_run

logger = logging.getLogger(__name__)


@register_task("translation_from_text", dataclass=TranslationFromTextConfig)
class TranslationFromTextTask(TranslationTask):
    """Translates one language into another; segments the text of both itself.

    Args:
        cfg: the options.
        src_dict, tgt_dict: the dictionaries.
        text: segments the text; None if the data is binarized.
    """

    def __init__(self, cfg: TranslationFromTextConfig, src_dict, tgt_dict, text=None):
        super().__init__(cfg, src_dict, tgt_dict)
        self.text = text

    @classmethod
    def setup_task(cls, cfg: TranslationFromTextConfig, **kwargs):
        """Finds the pair and its dictionaries.

        Raises:
            ValueError: If the pair is unknown, options contradict each other, or the codes do not
                determine a dictionary.
            FileNotFoundError: If a dictionary is missing.
        """
        if not cfg.data:
            raise ValueError("give the folder of the text")
        folder = utils.split_paths(cfg.data)[0]
        if cfg.source_lang is None or cfg.target_lang is None:
            cfg.source_lang, cfg.target_lang = data_utils.infer_language_pair(folder)
        languages = (cfg.source_lang, cfg.target_lang)
        if None in languages:
            raise ValueError(
                f"{folder} holds no text named SPLIT.xx-yy.xx: give the languages with -s and -t"
            )
        record_languages(cfg)
        if cfg.load_alignments:
            raise ValueError(
                "--load-alignments needs binarized data, whose segmentation the alignments belong to"
            )
        text = None
        if cfg.from_text or not is_binarized(folder, *languages):
            text = FromText(cfg, encoding_of_run)
        source, target = find_dictionaries(
            cfg.text_dict, folder, languages, text, kwargs.get("from_checkpoint", False)
        )
        for language, dictionary in zip(languages, (source, target)):
            logger.info(f"[{language}] dictionary: {len(dictionary):,} types")
        return cls(cfg, source, target, text)

    def has_sharded_data(self, split):
        """Whether epochs read different data: another folder, or the same text segmented anew."""
        draws = self.text is not None and self.text.draws_each_epoch
        return draws or super().has_sharded_data(split)

    def load_dataset(self, split, epoch=None, combine=False, task_cfg=None, **kwargs):
        """As Fairseq's; segments the text first."""
        if self.text is None:
            super().load_dataset(split, epoch or 1, combine, **kwargs)
            return
        languages = (self.cfg.source_lang, self.cfg.target_lang)
        dictionaries = (self.src_dict, self.tgt_dict)
        folders = utils.split_paths(self.cfg.data)
        folder = folders[0]
        if split == self.cfg.train_subset and task_cfg is None:
            if split not in self.datasets:
                self.text.save_dictionaries(dict(zip(languages, dictionaries)))
            elif self.text.is_past_the_end(epoch):
                return
            folder = folders[((epoch or 1) - 1) % len(folders)]
        prefixes = text_prefixes(folder, split, *languages, combine)
        is_translation = epoch is None and task_cfg is not None
        with self.text.opened(
            prefixes, split, epoch, dictionaries, task_cfg, source_is_enough=is_translation
        ) as segmented:
            self._load_segmented(str(segmented), split, combine)

    def _load_segmented(self, folder: str, split: str, combine: bool) -> None:
        data = self.cfg.data
        try:
            self.cfg.data = folder
            super().load_dataset(split, combine=combine)
        finally:
            self.cfg.data = data

    def begin_epoch(self, epoch, model):
        """As Fairseq's; frees the text of the last epoch, in memory and on disk."""
        super().begin_epoch(epoch, model)
        if self.text is not None:
            self.text.begin_epoch(epoch)

    def get_batch_iterator(self, dataset, *args, **kwargs):
        """As Fairseq's; no line of a validation or test set is dropped."""
        if dataset is not self.datasets.get(self.cfg.train_subset):
            kwargs["required_batch_size_multiple"] = 1
        return ending_with_epoch(super().get_batch_iterator(dataset, *args, **kwargs))

    def state_dict(self):
        """Adds the checksums of the text, which are compared when a run resumes."""
        text = {} if self.text is None else self.text.state_dict()
        return {**super().state_dict(), **text}

    def load_state_dict(self, state_dict):
        super().load_state_dict({k: v for k, v in state_dict.items() if k != TEXT_STATE})

    def build_model(self, cfg, from_checkpoint=False):
        """As Fairseq's; ``--eval-bleu`` decodes with the encoder of the text."""
        model = super().build_model(cfg, from_checkpoint)
        if self.cfg.eval_bleu:
            bpe = self.build_bpe(getattr(whole_config(self.cfg), "bpe", None))
            self.tokenizer = Decoders(bpe, self.tokenizer)
        return model
