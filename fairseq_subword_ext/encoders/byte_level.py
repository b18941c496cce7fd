"""``--bpe byte_level``: one symbol a byte."""

from dataclasses import dataclass

from fairseq.data.encoders import register_bpe

from fairseq_subword_ext.encoders.codec_encoder import CodecConfig, CodecEncoder, codec_from_config
from fairseq_subword_ext.encoders.options import warn_about_lengths


@dataclass
class ByteLevelConfig(CodecConfig):
    """The options of ``--bpe byte_level``."""


@register_bpe("byte_level", dataclass=ByteLevelConfig)
class ByteLevelEncoder(CodecEncoder):
    """Cuts a line as ``fairseq-subword apply-bpe --encoder byte_level`` does, and undoes it."""

    def __init__(self, cfg):
        warn_about_lengths(cfg, "byte_level")
        super().__init__(codec_from_config("byte_level", cfg))
