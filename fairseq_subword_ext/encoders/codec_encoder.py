"""What the encoders that wrap a line codec have in common."""

from dataclasses import dataclass, field
from typing import Optional

from fairseq.dataclass import ChoiceEnum, FairseqDataclass

from fairseq_subword_ext.encoders.options import warn_about_post_process
from fairseq_subword_ext.subword.byte_text import ERRORS
from fairseq_subword_ext.subword.line_codec import LineCodec
from fairseq_subword_ext.subword.line_codecs import COMPAT, make_codec


@dataclass
class CodecConfig(FairseqDataclass):
    """The options that every such encoder has."""

    bpe_compat: Optional[ChoiceEnum(list(COMPAT))] = field(
        default=None,
        metadata={
            "help": "fairseq: exactly what Fairseq's own encoder of this kind does (byte_bpe, bytes, "
            "characters), for models trained with it"
        },
    )
    bpe_errors: Optional[ChoiceEnum(list(ERRORS))] = field(
        default=None,
        metadata={
            "help": "text that cannot be encoded (a lone surrogate, a newline): strict (the default) "
            "stops with its position, replace puts U+FFFD or a space there"
        },
    )


class CodecEncoder:
    """Fairseq's interface to a :class:`.LineCodec`."""

    def __init__(self, codec: LineCodec):
        self._codec = codec

    def encode(self, x: str) -> str:
        return self._codec.encode(x)

    def decode(self, x: str) -> str:
        return self._codec.decode(x)


def codec_from_config(encoder: str, cfg: CodecConfig, codes: Optional[str] = None) -> LineCodec:
    """The codec that an encoder's name and its options stand for.

    Using a finished model must not need a compiler, so that the compiled core is optional here.

    Raises:
        ValueError: as :func:`.make_codec`.
        OSError: where the codes cannot be read.
    """
    warn_about_post_process(cfg, encoder)
    errors = cfg.bpe_errors or "strict"
    return make_codec(encoder, codes, cfg.bpe_compat, errors, fallback=True)
