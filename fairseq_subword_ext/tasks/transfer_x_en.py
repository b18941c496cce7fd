"""``--task transfer_x_en``: fine-tunes an X-En model on a language it never saw.

This is the experiment of Wang, Cho & Gu 2020, section 4.4 and Table 8. With byte-level subwords, the
vocabulary of a multilingual model covers every other language, whatever its script, so a Sinhala-English
model can start from its weights and train all or some of its parts.
"""

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from fairseq.tasks import register_task

from fairseq_subword_ext.checkpoints.comparing import X_EN_STATE
from fairseq_subword_ext.data.unknown_share import report_unknown
from fairseq_subword_ext.tasks.multilingual_x_en import (
    MultilingualXEnConfig,
    MultilingualXEnTask,
)
from fairseq_subword_ext.transfer.finetune_parts import (
    freeze_others,
    keep_frozen_in_average,
    keep_gradients_through_checkpoints,
    name_parts,
    parse_parts,
)
from fairseq_subword_ext.transfer.parent_model import ParentModel, check_exists
from fairseq_subword_ext.transfer.transfer_start import TRANSFER_STATE, run_to_resume

logger = logging.getLogger(__name__)


@dataclass
class TransferXEnConfig(MultilingualXEnConfig):
    parent_checkpoint: Optional[str] = field(
        default=None,
        metadata={"help": "checkpoint of the model to start from"},
    )
    finetune: str = field(
        default="all",
        metadata={
            "help": "parts to train, joined by +; the others are frozen: embed (token embeddings and what is "
            "tied to them), enc (encoder and context), dec (decoder); or all"
        },
    )
    parent_dict: Optional[str] = field(
        default=None,
        metadata={"help": "the parent's dict.en.txt, for a checkpoint that does not contain it"},
    )


@register_task("transfer_x_en", dataclass=TransferXEnConfig)
class TransferXEnTask(MultilingualXEnTask):
    """Trains parts of a finished many-to-English model on another language.

    Args:
        cfg, dictionary, folders, languages, text: as in :class:`MultilingualXEnTask`.
    """

    uses_ema = True  # makes Fairseq pass the average of --store-ema

    def __init__(self, cfg: TransferXEnConfig, dictionary, folders, languages, text=None):
        super().__init__(cfg, dictionary, folders, languages, text)
        self._trained_parts = parse_parts(cfg.finetune)
        self.trains = name_parts(self._trained_parts)
        self._parent_name = cfg.parent_checkpoint
        self._model = None
        self._average = None

    @classmethod
    def setup_task(cls, cfg: TransferXEnConfig, **kwargs):
        """As in :class:`MultilingualXEnTask`.

        Raises:
            ValueError: Also if ``--finetune`` leaves nothing to train.
        """
        parse_parts(cfg.finetune)
        return super().setup_task(cfg, **kwargs)

    def build_model(self, cfg, from_checkpoint=False):
        """Builds the model, loads the parent's weights and freezes the parts not to train.

        Raises:
            ValueError: If the parent's dictionary or architecture differs, or the run to resume does.
            FileNotFoundError: If the parent does not exist, even if a resumed run does not need it.
        """
        if from_checkpoint:  # a finished model needs no parent
            return super().build_model(cfg, from_checkpoint)
        if self.cfg.parent_checkpoint is not None:
            check_exists(Path(self.cfg.parent_checkpoint))
        resumed = run_to_resume(self.cfg, self._trained_parts)
        if resumed is None:
            parent = self._open_parent()
        else:
            parent, self._parent_name = None, resumed["parent"]
        model = super().build_model(cfg, from_checkpoint)
        if parent is not None:
            parent.load_into(model, cfg)
            logger.info(
                f"starting from the parent {parent.path} with a new optimizer and schedule; training "
                f"{self.trains}"
            )
        freeze_others(model, self._trained_parts)
        keep_gradients_through_checkpoints(model)
        self._model = model
        return model

    def _open_parent(self) -> ParentModel:
        """The parent, once its dictionary is known to match the data's."""
        if self.cfg.parent_checkpoint is None:
            raise ValueError(
                "--task transfer_x_en needs --parent-checkpoint FILE, a model trained with --task "
                "multilingual_x_en; to train from scratch, use that task"
            )
        parent_dict = self.cfg.parent_dict
        parent = ParentModel(
            Path(self.cfg.parent_checkpoint), None if parent_dict is None else Path(parent_dict)
        )
        files = self.folders.dictionary_files(self.languages)
        parent.check_dictionary(
            self.dictionary.symbols,
            str(files[0] if files else self.cfg.data),
            is_text=self.text is not None,
        )
        marked = parent.task_state.get(X_EN_STATE, {}).get("source_lang_token")
        if marked is not None and marked != self.uses_language_token:
            logger.warning(
                f"the parent was trained {'with' if marked else 'without'} --source-lang-token, "
                "unlike this model"
            )
        return parent

    def load_dataset(self, split, epoch=None, combine=False, task_cfg=None, **kwargs):
        """As in :class:`MultilingualXEnTask`; reports how much training data the vocabulary lacks."""
        super().load_dataset(split, epoch, combine, task_cfg, **kwargs)
        if split == self.cfg.train_subset and task_cfg is None and epoch in (None, 1):
            report_unknown(self.datasets[split], self.dictionary)

    def train_step(self, *args, ema_model=None, **kwargs):
        """As Fairseq's; frozen parameters also stay unchanged in the average of ``--store-ema``."""
        if ema_model is not None and ema_model is not self._average:
            keep_frozen_in_average(ema_model, self._model)
            self._average = ema_model
        return super().train_step(*args, **kwargs)

    def valid_step(self, *args, ema_model=None, **kwargs):
        return super().valid_step(*args, **kwargs)

    def state_dict(self):
        """Adds the trained parts, which a resumed run must ask for again, and the parent."""
        own = {"finetune": self.trains, "parent": self._parent_name}
        return {**super().state_dict(), TRANSFER_STATE: own}
