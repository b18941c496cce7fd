"""The options of tasks that train on raw text."""

from dataclasses import dataclass, field
from typing import Optional

from fairseq.dataclass import FairseqDataclass


@dataclass
class FromTextConfig(FairseqDataclass):
    from_text: bool = field(
        default=False,
        metadata={
            "help": "the data folder holds raw text, SPLIT.xx-yy.xx and SPLIT.xx-yy.yy, to be segmented by "
            "the given --bpe"
        },
    )
    bpe_dropout: float = field(
        default=0.0,
        metadata={
            "help": "BPE-dropout: skip each merge with this probability; the training text is segmented "
            "anew for each epoch"
        },
    )
    bpe_dropout_source: Optional[float] = field(
        default=None, metadata={"help": "BPE-dropout of the source side (default: --bpe-dropout)"}
    )
    bpe_dropout_target: Optional[float] = field(
        default=None, metadata={"help": "BPE-dropout of the target side (default: --bpe-dropout)"}
    )
    text_dict: Optional[str] = field(
        default=None,
        metadata={
            "help": "dictionary of both sides (default: the dict.xx.txt of the data folder, or else one "
            "made from the codes and their alphabet)"
        },
    )
    text_cache: Optional[str] = field(
        default=None,
        metadata={
            "help": "folder for the segmented training text, preferably on a local disk (default: "
            "text-cache in the save folder)"
        },
    )
