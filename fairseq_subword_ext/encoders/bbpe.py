"""``--bpe bbpe``: byte-level subwords."""

from dataclasses import dataclass, field
from typing import Optional

from fairseq.data.encoders import register_bpe

from fairseq_subword_ext.encoders.codec_encoder import CodecConfig, CodecEncoder, codec_from_config
from fairseq_subword_ext.encoders.options import required_file

CODES = "byte-level codes (learn-bpe --unit byte) or a SentencePiece model of byte text"


@dataclass
class ByteLevelBPEConfig(CodecConfig):
    """The options of ``--bpe bbpe``."""

    bpe_codes: Optional[str] = field(default=None, metadata={"help": CODES})


@register_bpe("bbpe", dataclass=ByteLevelBPEConfig)
class ByteLevelBPEEncoder(CodecEncoder):
    """Segments a line as ``fairseq-subword apply-bpe --encoder bbpe`` does, and undoes it."""

    def __init__(self, cfg):
        codes = required_file(cfg.bpe_codes, "--bpe-codes", "bbpe", CODES)
        super().__init__(codec_from_config("bbpe", cfg, codes))
