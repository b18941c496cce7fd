"""``--task multilingual_x_en``: many languages into English with one vocabulary.

The many-to-English setting of Wang, Cho & Gu 2020 (section 4.1; 58 languages, one joint vocabulary,
a plain concatenation of the corpora by default).
"""

import logging
from dataclasses import dataclass, field
from typing import List, Optional

from fairseq import utils
from fairseq.sequence_generator import SequenceGenerator
from fairseq.tasks import FairseqTask, register_task
from fairseq.tasks.translation import TranslationConfig
from omegaconf import II

from fairseq_subword_ext.data import length_limit
from fairseq_subword_ext.data.checkpoint_state import TRANSFER_STATE, compare_with_start
from fairseq_subword_ext.data.common_dictionary import CommonDictionary, load_common_dictionary
from fairseq_subword_ext.data.finetune_parts import PARTS
from fairseq_subword_ext.data.language_scores import batch_scores, log_scores, outputs_at_limit
from fairseq_subword_ext.data.model_positions import give_positions
from fairseq_subword_ext.data.pair_folders import TARGET, PairFolders
from fairseq_subword_ext.data.validation_bleu import ValidationBleu
from fairseq_subword_ext.data.x_en_checks import check_best_metric, check_dictionary, check_options
from fairseq_subword_ext.data.x_en_dataset import XEnDataset, within_positions
from fairseq_subword_ext.data.x_en_splits import load_split, wrap_input

logger = logging.getLogger(__name__)

POSITIONS = 2048  # bytes take three symbols a letter in most scripts


@dataclass
class MultilingualXEnConfig(TranslationConfig):
    source_langs: Optional[str] = field(
        default=None,
        metadata={"help": "source languages, separated by commas (default: all that are found)"},
    )
    max_source_positions: int = field(
        default=POSITIONS, metadata={"help": "max number of tokens in the source sequence"}
    )
    max_target_positions: int = field(
        default=POSITIONS, metadata={"help": "max number of tokens in the target sequence"}
    )
    sampling_temperature: float = field(
        default=1.0,
        metadata={
            "help": "T: a language with n pairs gets a share of the training data in proportion to "
            "n^(1/T); 1 is plain concatenation, larger values help small languages"
        },
    )
    sampling_weights: Optional[str] = field(
        default=None,
        metadata={"help": "factors on the languages' shares, e.g. si=3,de=0.5 (default: 1 each)"},
    )
    source_lang_token: bool = field(
        default=False,
        metadata={"help": "put <lang:xx>, an entry of the dictionary file, before each source"},
    )
    valid_sample: Optional[int] = field(
        default=None,
        metadata={
            "help": "validate on N lines drawn from the valid sets, the same ones each time; test sets are "
            "never sampled"
        },
    )
    language_ids: Optional[str] = field(
        default=None,
        metadata={
            "help": "file for the languages of the ids that fairseq-generate prints: language, first "
            "id and number of lines, separated by tabs"
        },
    )
    seed: int = II("common.seed")
    valid_subset: str = II("dataset.valid_subset")


@register_task("multilingual_x_en", dataclass=MultilingualXEnConfig)
class MultilingualXEnTask(FairseqTask):
    """Translates many languages into English.

    Args:
        cfg: the options.
        dictionary: of both sides of all languages.
        folders: where the pairs lie.
        languages: the source languages, in alphabetical order.
    """

    STATE = "multilingual_x_en"  # the key of what a checkpoint keeps of this task
    trained_parts = PARTS  # all of the model

    def __init__(
        self,
        cfg: MultilingualXEnConfig,
        dictionary: CommonDictionary,
        folders: PairFolders,
        languages: List[str],
    ):
        super().__init__(cfg)
        self.dictionary = dictionary
        self.folders = folders
        self.languages = languages
        self.uses_language_token = cfg.source_lang_token
        self._positions = (cfg.max_source_positions, cfg.max_target_positions)
        self._lines_read = 0
        self._limit_count = length_limit.LimitCount()

    @classmethod
    def setup_task(cls, cfg: MultilingualXEnConfig, **kwargs):
        """Finds the languages and loads their dictionary.

        Raises:
            ValueError: for options that contradict each other or the data.
            FileNotFoundError: where a data folder, a language or the dictionary is missing.
        """
        check_options(cfg)
        folders = PairFolders(utils.split_paths(cfg.data), raw=cfg.dataset_impl == "raw")
        languages = folders.choose(cfg.source_lang, cfg.source_langs)
        dictionary = load_common_dictionary(folders.dictionary_files(languages), folders.paths)
        logger.info(
            f"dictionary: {len(dictionary):,} types for {', '.join(languages)} and {TARGET}"
        )
        return cls(cfg, dictionary, folders, languages)

    # --- data --------------------------------------------------------------------------------

    def has_sharded_data(self, split):
        """Whether epochs read different folders; a colon alone may also join different pairs."""
        return self.folders.is_sharded(self.languages)

    def load_dataset(self, split, epoch=None, combine=False, task_cfg=None, **kwargs):
        """Loads a split of every language that has it.

        Args:
            split: ``train``, ``valid``, ...
            epoch: counted from 1, for languages that lie in several folders. fairseq-generate names
                none, and gets batches of mixed languages, which decode faster.
            combine: also read ``train1``, ``train2``, ...
            task_cfg: the checkpoint's task options, given by commands that evaluate.

        Raises:
            FileNotFoundError: where no language has the split.
            ValueError: for misaligned data, or sampling options that do not fit it.
        """
        dataset = load_split(
            self.cfg,
            self.folders,
            self._languages_for(task_cfg),
            self.dictionary,
            split,
            training=split == self.cfg.train_subset and task_cfg is None,
            by_language=epoch is not None,
            with_language_token=self.uses_language_token,
            epoch=epoch or 1,
            combine=combine,
        )
        self.datasets[split] = dataset
        if task_cfg is None and split == self.cfg.valid_subset.split(",")[0]:
            check_best_metric(self.cfg, dataset.languages_in_use())

    def _languages_for(self, task_cfg) -> List[str]:
        """Those asked for; else, where a checkpoint is evaluated, those that it was trained on."""
        if self.cfg.source_lang or self.cfg.source_langs or task_cfg is None:
            return self.languages
        trained = task_cfg.get("source_lang") or task_cfg.get("source_langs") or ""
        known = [language for language in self.languages if language in trained.split(",")]
        return known or self.languages  # all, where a model is tried on other languages

    def build_dataset_for_inference(self, src_tokens, src_lengths, constraints=None):
        """Wraps lines read by fairseq-interactive or the hub; none of them is ever left out."""
        first_id, self._lines_read = self._lines_read, self._lines_read + len(src_tokens)
        return wrap_input(
            src_tokens,
            src_lengths,
            self.dictionary,
            self.cfg.source_lang,
            with_language_token=self.uses_language_token,
            first_id=first_id,
            constraints=constraints,
            left_pad_source=self.cfg.left_pad_source,
        )

    def get_batch_iterator(self, dataset, *args, **kwargs):
        """As fairseq's; with ``--update-epoch-batch-itr`` the order differs from epoch to epoch."""
        if isinstance(dataset, XEnDataset) and kwargs.get("update_epoch_batch_itr"):
            dataset.new_batches_each_epoch = True
        return super().get_batch_iterator(dataset, *args, **kwargs)

    # --- what checkpoints keep ---------------------------------------------------------------

    def state_dict(self):
        """Adds the dictionary and how sources are marked, to be compared when the model is used."""
        own = {
            "symbols": "\n".join(self.dictionary.symbols),
            "source_lang_token": self.uses_language_token,
            "positions": list(self._positions),
        }
        return {**super().state_dict(), self.STATE: own}

    def load_state_dict(self, state_dict):
        """Takes over how the checkpoint's sources are marked, and how long they may be.

        Raises:
            ValueError: where the data's dictionary is not the one that the model was trained with.
        """
        own = state_dict.get(self.STATE)
        if own is not None:
            check_dictionary(self.dictionary, own["symbols"].split("\n"), self.cfg.data)
            self.uses_language_token = own["source_lang_token"]
            if self._positions == (POSITIONS, POSITIONS):  # not asked for otherwise
                self._positions = tuple(own["positions"])
        kept = (self.STATE, TRANSFER_STATE)  # what was a transfer before is none from here on
        super().load_state_dict({k: v for k, v in state_dict.items() if k not in kept})

    # --- model, decoding and validation ------------------------------------------------------

    def build_model(self, cfg, from_checkpoint=False):
        """As fairseq's; a run that goes on from a checkpoint is compared with it first.

        Raises:
            ValueError: where the checkpoint's dictionary or marking of sources differs.
        """
        if not from_checkpoint:
            compare_with_start(self)
            give_positions(cfg, self._positions)
        model = super().build_model(cfg, from_checkpoint)
        if self.cfg.eval_bleu:
            self._validation_bleu = ValidationBleu(self, model)
        return model

    def build_generator(
        self,
        models,
        args,
        seq_gen_cls=None,
        extra_gen_cls_kwargs=None,
        prefix_allowed_tokens_fn=None,
    ):
        """As fairseq's, with lengths limited sentence by sentence and no language token put out."""
        extra = dict(extra_gen_cls_kwargs or {})
        hidden = [self.dictionary[i] for i in self.dictionary.language_token_ids()]
        if hidden and not getattr(args, "score_reference", False):
            extra["tokens_to_suppress"] = (*extra.get("tokens_to_suppress", ()), *hidden)
        generator = super().build_generator(
            models, args, seq_gen_cls, extra, prefix_allowed_tokens_fn
        )
        if isinstance(generator, SequenceGenerator) and not generator.match_source_len:
            length_limit.limit_by_sentence(generator)
        return generator

    def inference_step(self, generator, models, sample, prefix_tokens=None, constraints=None):
        """As fairseq's; says which outputs are as long as they may be, and so perhaps unfinished."""
        hypotheses = super().inference_step(generator, models, sample, prefix_tokens, constraints)
        self._limit_count.add(generator, sample, hypotheses)
        return hypotheses

    def valid_step(self, sample, model, criterion):
        """Adds the sums of the batch's language to the criterion's output."""
        limit = min(self._positions[1], model.max_positions()[1])
        loss, sample_size, logging_output = super().valid_step(
            within_positions(sample, limit, self.dictionary.pad()), model, criterion
        )
        if "language" in sample:
            bleu = self._validation_bleu.sums(sample, model) if self.cfg.eval_bleu else ()
            logging_output["by_language"] = batch_scores(
                self.languages, sample["language"], logging_output, bleu
            )
        return loss, sample_size, logging_output

    def reduce_metrics(self, logging_outputs, criterion):
        super().reduce_metrics(logging_outputs, criterion)
        tables = [log["by_language"] for log in logging_outputs if "by_language" in log]
        if tables:
            log_scores(sum(tables).cpu(), self.languages, self.cfg.eval_bleu)

    def post_validate(self, model, stats, agg):
        """Says how many outputs of a validation with BLEU may be unfinished."""
        reached = outputs_at_limit(agg)
        if reached:
            logger.warning(f"{reached:,} validation outputs reached the length limit")

    def max_positions(self):
        return self._positions

    @property
    def source_dictionary(self):
        return self.dictionary

    @property
    def target_dictionary(self):
        return self.dictionary
