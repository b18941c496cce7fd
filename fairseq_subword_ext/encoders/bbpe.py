"""``--bpe bbpe``: byte-level subwords."""

from dataclasses import dataclass, field
from typing import Optional

from fairseq.data.encoders import register_bpe
from fairseq.dataclass import FairseqDataclass

from fairseq_subword_ext.encoders.options import required_file
from fairseq_subword_ext.subword.line_codecs import ByteLevelBPE

CODES = "byte-level codes (learn-bpe --unit byte) or a SentencePiece model of byte text"


@dataclass
class ByteLevelBPEConfig(FairseqDataclass):
    """The options of ``--bpe bbpe``."""

    bpe_codes: Optional[str] = field(default=None, metadata={"help": CODES})


@register_bpe("bbpe", dataclass=ByteLevelBPEConfig)
class ByteLevelBPEEncoder:
    """Fairseq's interface to :class:`fairseq_subword_ext.subword.line_codecs.ByteLevelBPE`."""

    def __init__(self, cfg):
        self._codec = ByteLevelBPE(required_file(cfg.bpe_codes, "--bpe-codes", "bbpe", CODES))

    def encode(self, x: str) -> str:
        return self._codec.encode(x)

    def decode(self, x: str) -> str:
        return self._codec.decode(x)
