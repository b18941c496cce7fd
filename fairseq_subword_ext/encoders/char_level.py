"""``--bpe char_level``: one symbol a character."""

from dataclasses import dataclass

from fairseq.data.encoders import register_bpe

from fairseq_subword_ext.encoders.codec_encoder import CodecConfig, CodecEncoder, codec_from_config
from fairseq_subword_ext.encoders.options import warn_about_lengths


@dataclass
class CharLevelConfig(CodecConfig):
    """The options of ``--bpe char_level``."""


@register_bpe("char_level", dataclass=CharLevelConfig)
class CharLevelEncoder(CodecEncoder):
    """Cuts a line as ``fairseq-subword apply-bpe --encoder char_level`` does, and undoes it."""

    def __init__(self, cfg):
        warn_about_lengths(cfg, "char_level")
        super().__init__(codec_from_config("char_level", cfg))
