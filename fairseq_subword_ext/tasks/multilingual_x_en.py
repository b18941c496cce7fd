"""``--task multilingual_x_en``: many languages into English with one vocabulary.

The many-to-English setting of Wang, Cho & Gu 2020 (section 4.1; 58 languages, one joint vocabulary,
a plain concatenation of the corpora by default).
"""

import logging
from typing import List, Optional

from fairseq import utils
from fairseq.tasks import FairseqTask, register_task

from fairseq_subword_ext.checkpoints.comparing import (
    TEXT_STATE,
    X_EN_STATE,
    Symbols,
    compare_dictionaries,
)
from fairseq_subword_ext.checkpoints.ensemble_members import EnsembleMembers
from fairseq_subword_ext.checkpoints.task_state import compare_with_start
from fairseq_subword_ext.data.common_dictionary import CommonDictionary
from fairseq_subword_ext.data.evaluation_pairs import within_positions
from fairseq_subword_ext.data.from_text import FromText
from fairseq_subword_ext.data.generation import (
    HypothesisReport,
    adapt_generator,
    suppress_language_tokens,
)
from fairseq_subword_ext.data.input_lines import check_lines
from fairseq_subword_ext.data.language_scores import batch_scores, log_scores, outputs_at_limit
from fairseq_subword_ext.data.loader_workers import ending_with_epoch
from fairseq_subword_ext.data.model_options import forget_embedding_files, give_positions
from fairseq_subword_ext.data.pair_folders import TARGET, PairFolders
from fairseq_subword_ext.data.unknown_share import warn_about_codes
from fairseq_subword_ext.data.validation_bleu import ValidationBleu
from fairseq_subword_ext.data.x_en_checks import check_options, whole_config
from fairseq_subword_ext.data.x_en_dictionary import find_dictionary
from fairseq_subword_ext.data.x_en_options import POSITIONS, MultilingualXEnConfig
from fairseq_subword_ext.data.x_en_splits import SplitRequest, input_lines, load_split
from fairseq_subword_ext.encoders.codec_encoder import encoding_of_run
from fairseq_subword_ext.tasks import NAMES

logger = logging.getLogger(__name__)


@register_task("multilingual_x_en", dataclass=MultilingualXEnConfig)
class MultilingualXEnTask(FairseqTask):
    """Translates many languages into English.

    Args:
        cfg: the options.
        dictionary: the dictionary of both sides of all languages.
        folders: the folders with the pairs.
        languages: the source languages, in alphabetical order.
        text: segments the pairs if they are raw text.
    """

    trains = "all"  # the parts of the model, as checkpoints name them

    def __init__(
        self,
        cfg: MultilingualXEnConfig,
        dictionary: CommonDictionary,
        folders: PairFolders,
        languages: List[str],
        text: Optional[FromText] = None,
    ):
        super().__init__(cfg)
        self.text = text
        self.dictionary = dictionary
        self.folders = folders
        self.languages = languages
        self.uses_language_token = cfg.source_lang_token
        self._positions = (cfg.max_source_positions, cfg.max_target_positions)
        self._lines_read = 0
        self._hypotheses = HypothesisReport(dictionary)
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
        kind = "segmented" if cfg.dataset_impl == "raw" else "binarized"
        folders = PairFolders(utils.split_paths(cfg.data), "text" if cfg.from_text else kind)
        languages = folders.choose(cfg.source_lang, cfg.source_langs)
        text = FromText(cfg, encoding_of_run) if cfg.from_text else None
        dictionary = find_dictionary(
            cfg, folders, languages, text, kwargs.get("from_checkpoint", False)
        )
        logger.info(
            f"dictionary: {len(dictionary):,} types for {', '.join(languages)} and {TARGET}"
        )
        return cls(cfg, dictionary, folders, languages, text)

    # --- data --------------------------------------------------------------------------------

    def has_sharded_data(self, split):
        """Whether epochs read different data: another folder, or the same text segmented anew.

        Paths joined by a colon may also hold different pairs.
        """
        draws = self.text is not None and self.text.draws_each_epoch
        return draws or self.folders.is_sharded(self.languages)

    def load_dataset(self, split, epoch=None, combine=False, task_cfg=None, **kwargs):
        """Loads a split of every language that has it; see :func:`.load_split`."""
        trains = split == self.cfg.train_subset and task_cfg is None
        if self.text is not None and trains:
            if split not in self.datasets:
                self.text.save_dictionaries({TARGET: self.dictionary})
            elif self.text.is_past_the_end(epoch):
                return
        self.datasets[split] = load_split(
            self.cfg,
            self.folders,
            self.languages,
            self.dictionary,
            self.uses_language_token,
            SplitRequest(split, epoch, combine, task_cfg),
            self.text,
        )

    def begin_epoch(self, epoch, model):
        """As Fairseq's; frees the text of the last epoch, in memory and on disk."""
        super().begin_epoch(epoch, model)
        if self.text is not None:
            self.text.begin_epoch(epoch)

    def get_interactive_tokens_and_lengths(self, lines, encode_fn):
        """As Fairseq's, after checking that the lines are UTF-8."""
        check_lines(lines, self._lines_read)
        return super().get_interactive_tokens_and_lengths(lines, encode_fn)

    def build_dataset_for_inference(self, src_tokens, src_lengths, constraints=None):
        """Wraps the lines that fairseq-interactive or the hub read; none is ever dropped."""
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
        """As Fairseq's; warns if the encoder's pieces are missing from the dictionary."""
        bpe = super().build_bpe(args)
        if not self._bpe_compared and bpe is not None:
            warn_about_codes(bpe, self.dictionary)
        self._bpe_compared = True
        return bpe

    def get_batch_iterator(self, dataset, *args, **kwargs):
        """As Fairseq's; with ``--update-epoch-batch-itr`` each epoch has an order of its own."""
        if kwargs.get("update_epoch_batch_itr") and hasattr(dataset, "new_batches_each_epoch"):
            dataset.new_batches_each_epoch = True
        return ending_with_epoch(super().get_batch_iterator(dataset, *args, **kwargs))

    # --- what checkpoints keep ---------------------------------------------------------------

    def state_dict(self):
        """Adds the dictionary and the source marking, which are compared when the model is used."""
        own = {
            "symbols": "\n".join(self.dictionary.symbols),
            "source_lang_token": self.uses_language_token,
            "positions": list(self._positions),
            "trains": self.trains,
        }
        text = {} if self.text is None else self.text.state_dict()
        return {**super().state_dict(), X_EN_STATE: own, **text}

    def load_state_dict(self, state_dict):
        """Checks a checkpoint that is about to be used, possibly as one member of an ensemble.

        Raises:
            ValueError: If the data's dictionary is not the one that the model was trained with, or
                the checkpoint cannot form an ensemble with those loaded before.
        """
        self.adopt(self._members.add(state_dict), state_dict)
        # State of this package's other tasks, or of another run's text, is of no use to this one.
        own = (*NAMES, TEXT_STATE)
        super().load_state_dict({k: v for k, v in state_dict.items() if k not in own})

    def adopt(self, name, state_dict):
        """Adopts a checkpoint's source marking and length limits.

        Args:
            name: what messages call the checkpoint.
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
            "give --text-dict FILE with the dict.en.txt of the model's save folder"
            if self.text is not None
            else "binarize with `fairseq-preprocess --srcdict FILE --tgtdict FILE` and the dict.en.txt of "
            "the model's own data",
        )
        self.uses_language_token = own["source_lang_token"]
        if self._positions == (POSITIONS, POSITIONS):  # the user set nothing else
            self._positions = tuple(own["positions"])

    # --- model, decoding and validation ------------------------------------------------------

    def build_model(self, cfg, from_checkpoint=False):
        """As Fairseq's; a run that resumes is first compared with its checkpoint.

        Raises:
            ValueError: If the checkpoint's dictionary or source marking differs.
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
        """As Fairseq's, with lengths limited sentence by sentence and language tokens suppressed."""
        kwargs = suppress_language_tokens(self.dictionary, args, extra_gen_cls_kwargs)
        generator = super().build_generator(
            models, args, seq_gen_cls, kwargs, prefix_allowed_tokens_fn
        )
        adapt_generator(generator, self.dictionary, self.uses_language_token)
        return generator

    def inference_step(self, generator, models, sample, prefix_tokens=None, constraints=None):
        """As Fairseq's; counts outputs at the length limit, and adds source pieces to alignments."""
        hypotheses = super().inference_step(generator, models, sample, prefix_tokens, constraints)
        self._hypotheses.add(generator, sample, hypotheses)
        return hypotheses

    def valid_step(self, sample, model, criterion):
        """As Fairseq's; adds the sums of the batch's language to the logging output."""
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
        """Warns about outputs of a validation with BLEU that may be unfinished."""
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
