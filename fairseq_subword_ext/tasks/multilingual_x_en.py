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

from fairseq_subword_ext.checkpoints.comparing import (
    X_EN_STATE,
    Symbols,
    compare_dictionaries,
)
from fairseq_subword_ext.checkpoints.ensemble_members import EnsembleMembers
from fairseq_subword_ext.checkpoints.task_state import compare_with_start
from fairseq_subword_ext.data import length_limit
from fairseq_subword_ext.data.alignments import add_pieces, hide_tokens
from fairseq_subword_ext.data.common_dictionary import CommonDictionary, load_common_dictionary
from fairseq_subword_ext.data.evaluation_pairs import within_positions
from fairseq_subword_ext.data.input_lines import check_lines
from fairseq_subword_ext.data.language_scores import batch_scores, log_scores, outputs_at_limit
from fairseq_subword_ext.data.model_options import forget_embedding_files, give_positions
from fairseq_subword_ext.data.pair_files import open_split
from fairseq_subword_ext.data.pair_folders import TARGET, PairFolders
from fairseq_subword_ext.data.unknown_share import warn_about_codes
from fairseq_subword_ext.data.validation_bleu import ValidationBleu
from fairseq_subword_ext.data.x_en_checks import (
    check_best_metric,
    check_generation,
    check_options,
    whole_config,
)
from fairseq_subword_ext.data.x_en_splits import evaluation_pairs, input_lines, training_pairs
from fairseq_subword_ext.tasks import NAMES

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

    trains = "all"  # the parts of the model, as checkpoints name them

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
        self._members = EnsembleMembers(cfg)
        self._bpe_compared = False

    @classmethod
    def setup_task(cls, cfg: MultilingualXEnConfig, **kwargs):
        """Finds the languages and loads their dictionary.

        Raises:
            ValueError: If options contradict each other or the data.
            FileNotFoundError: If a data folder, a language or the dictionary is missing.
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
            FileNotFoundError: If no language has the split.
            ValueError: If the data is misaligned, or options do not fit it.
        """
        translating = epoch is None and task_cfg is not None
        training = split == self.cfg.train_subset and task_cfg is None
        pairs = open_split(
            self.folders,
            self._languages_for(task_cfg),
            split,
            self.dictionary,
            self.cfg.dataset_impl,
            epoch or 1,
            combine,
            source_is_enough=translating,
        )
        common = (self.cfg, pairs, self.dictionary, split, self.uses_language_token)
        if training:
            dataset = training_pairs(*common)
        else:
            dataset = evaluation_pairs(*common, by_language=epoch is not None)
        self.datasets[split] = dataset
        if translating:
            check_generation(self.cfg, has_targets=dataset.tgt is not None)
        if task_cfg is None and split == self.cfg.valid_subset.split(",")[0]:
            check_best_metric(self.cfg, dataset.languages_in_use())

    def _languages_for(self, task_cfg) -> List[str]:
        """Those asked for; else, if a checkpoint is evaluated, those that it was trained on."""
        if self.cfg.source_lang or self.cfg.source_langs or task_cfg is None:
            return self.languages
        trained = task_cfg.get("source_lang") or task_cfg.get("source_langs") or ""
        known = [language for language in self.languages if language in trained.split(",")]
        return known or self.languages  # all, if a model is tried on other languages

    def get_interactive_tokens_and_lengths(self, lines, encode_fn):
        """As fairseq's, for lines that are UTF-8."""
        check_lines(lines, self._lines_read)
        return super().get_interactive_tokens_and_lengths(lines, encode_fn)

    def build_dataset_for_inference(self, src_tokens, src_lengths, constraints=None):
        """Wraps lines read by fairseq-interactive or the hub; none of them is ever left out."""
        if not self._bpe_compared:  # the hub builds its encoder without the task
            self.build_bpe(getattr(whole_config(self.cfg), "bpe", None))
        first_line, self._lines_read = self._lines_read, self._lines_read + len(src_tokens)
        return input_lines(
            src_tokens,
            src_lengths,
            self.dictionary,
            self.cfg.source_lang,
            marked=self.uses_language_token,
            first_line=first_line,
            constraints=constraints,
            left_pad_source=self.cfg.left_pad_source,
        )

    def build_bpe(self, args):
        """As fairseq's; warns if the encoder's pieces are not those of the dictionary."""
        bpe = super().build_bpe(args)
        if not self._bpe_compared and bpe is not None:
            warn_about_codes(bpe, self.dictionary)
        self._bpe_compared = True
        return bpe

    def get_batch_iterator(self, dataset, *args, **kwargs):
        """As fairseq's; with ``--update-epoch-batch-itr`` the order differs from epoch to epoch."""
        if kwargs.get("update_epoch_batch_itr") and hasattr(dataset, "new_batches_each_epoch"):
            dataset.new_batches_each_epoch = True
        return super().get_batch_iterator(dataset, *args, **kwargs)

    # --- what checkpoints keep ---------------------------------------------------------------

    def state_dict(self):
        """Adds the dictionary and how sources are marked, to be compared when the model is used."""
        own = {
            "symbols": "\n".join(self.dictionary.symbols),
            "source_lang_token": self.uses_language_token,
            "positions": list(self._positions),
            "trains": self.trains,
        }
        return {**super().state_dict(), X_EN_STATE: own}

    def load_state_dict(self, state_dict):
        """Shows the task a checkpoint that is about to be used: one of an ensemble, perhaps.

        Raises:
            ValueError: If the data's dictionary is not the one that the model was trained with, or
                the checkpoint cannot form an ensemble with those loaded before.
        """
        self.adopt(self._members.add(state_dict), state_dict)
        # What another task of this package keeps is of no use to this one.
        super().load_state_dict({k: v for k, v in state_dict.items() if k not in NAMES})

    def adopt(self, name, state_dict):
        """Takes over how a checkpoint's sources are marked, and how long they may be.

        Args:
            name: the checkpoint, for messages.
            state_dict: its ``task_state``.

        Raises:
            ValueError: If the data's dictionary is not the one that the model was trained with.
        """
        own = state_dict.get(X_EN_STATE)
        if own is None:
            return
        compare_dictionaries(
            Symbols(own["symbols"].split("\n"), name),
            Symbols(self.dictionary.symbols, self.cfg.data),
            "binarize with `fairseq-preprocess --srcdict FILE --tgtdict FILE` and the dict.en.txt of the "
            "model's own data",
        )
        self.uses_language_token = own["source_lang_token"]
        if self._positions == (POSITIONS, POSITIONS):  # not asked for otherwise
            self._positions = tuple(own["positions"])

    # --- model, decoding and validation ------------------------------------------------------

    def build_model(self, cfg, from_checkpoint=False):
        """As fairseq's; a run that resumes from a checkpoint is compared with it first.

        Raises:
            ValueError: If the checkpoint's dictionary or marking of sources differs.
        """
        if from_checkpoint:
            cfg = forget_embedding_files(cfg)
        else:
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
        if self.uses_language_token:
            hide_tokens(generator, self.dictionary.language_token_ids())
        return generator

    def inference_step(self, generator, models, sample, prefix_tokens=None, constraints=None):
        """As fairseq's; counts outputs at the length limit, and aligns with the data's own pieces."""
        hypotheses = super().inference_step(generator, models, sample, prefix_tokens, constraints)
        self._limit_count.add(generator, sample, hypotheses)
        add_pieces(hypotheses, sample, self.dictionary)
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
