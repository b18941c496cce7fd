"""The options of ``--task multilingual_x_en``."""

from dataclasses import dataclass, field
from typing import Optional

from fairseq.tasks.translation import TranslationConfig
from omegaconf import II

from fairseq_subword_ext.data.from_text_options import FromTextConfig

POSITIONS = 2048  # in most scripts a letter is three bytes, and so three symbols


@dataclass
class MultilingualXEnConfig(FromTextConfig, TranslationConfig):
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
            "help": "T: the share of a language with n pairs in the training data is proportional to "
            "n^(1/T); 1 is plain concatenation, larger values favor small languages"
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
            "help": "validate on N lines drawn from the valid sets, the same lines every time; test sets "
            "are never sampled"
        },
    )
    language_ids: Optional[str] = field(
        default=None,
        metadata={
            "help": "write the range of sentence ids of each language, as fairseq-generate prints them, to "
            "this file: language, first id and number of lines, separated by tabs"
        },
    )
    seed: int = II("common.seed")
    valid_subset: str = II("dataset.valid_subset")
