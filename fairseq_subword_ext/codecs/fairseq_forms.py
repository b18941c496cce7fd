"""``--compat fairseq``: Fairseq's own byte_bpe, bytes and characters, for models trained with them.

These encodings are lossy: runs of spaces and every Unicode space become one space (``bytes``,
``byte_bpe``), U+2581 becomes a space (``characters``), normalization changes characters
(``byte_bpe``), and control symbols are not distinguished from text that spells them. Model output on
which Fairseq raises an error is decoded without the parts that cannot be decoded.
"""

import re
from typing import Any, Optional

from fairseq_subword_ext.codecs.bbpe import ByteCodesOptions
from fairseq_subword_ext.codecs.byte_notation import SpaceMarks
from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.subword.byte_text import (
    SPACE_SYMBOL,
    bytes_to_symbols,
    checked_text,
    symbols_to_bytes,
)
from fairseq_subword_ext.subword.sentencepiece_model import (
    is_sentencepiece_model,
    load_processor,
)
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.subword.utf8 import recover_utf8
from fairseq_subword_ext.textio.files import PathLike, binary_reader

_WHITESPACE = re.compile(r"\s+")


class FairseqByteText(SpaceMarks):
    """Byte text as Fairseq decodes it: without the extra U+2581 at the start of a line."""

    def __init__(self, encoder: str, single: bool = False):
        super().__init__(encoder)
        self.single = single

    def decode(self, line: str) -> str:
        return recover_utf8(symbols_to_bytes(line.replace(" ", "")))


class FairseqCharacterText(SpaceMarks):
    """Characters without escapes."""

    single = True

    def decode(self, line: str) -> str:
        return line.replace(" ", "").replace(SPACE_SYMBOL, " ")


class FairseqBytes(Codec):
    """Fairseq's ``bytes``: one symbol per byte, ``▁`` for a space."""

    name = "byte_level"
    compat = "fairseq"

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return FairseqByteText(cls.name, single=True)

    def encode(self, line: str) -> str:
        return " ".join(_byte_text(line, self.options.errors))


class FairseqByteBPE(Codec):
    """Fairseq's ``byte_bpe``: a SentencePiece model on byte text, with the model's own settings."""

    Options = ByteCodesOptions
    name = "bbpe"
    compat = "fairseq"

    def __init__(self, codes: Optional[PathLike] = None, **options: Any):
        super().__init__(codes=codes, **options)
        with binary_reader(self.options.codes) as stream:
            model = stream.read()
        if not is_sentencepiece_model(model):
            raise ValueError(
                f"{self.options.codes}: expected a SentencePiece model, the only kind that Fairseq's "
                "byte_bpe reads; drop the compatibility option (--compat, --bpe-compat) for other codes"
            )
        self._processor = load_processor(model, str(self.options.codes))

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return FairseqByteText(cls.name)

    def encode(self, line: str) -> str:
        # Fairseq passes plain spaces to SentencePiece, which normalizes before it marks them.
        byte_text = _byte_text(line, self.options.errors).replace(SPACE_SYMBOL, " ")
        return " ".join(self._processor.encode(byte_text, out_type=str))


class FairseqCharacters(Codec):
    """Fairseq's ``characters``: one symbol per character, ``▁`` for a space."""

    name = "char_level"
    compat = "fairseq"

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return FairseqCharacterText(cls.name)

    def encode(self, line: str) -> str:
        return " ".join(line.replace(" ", SPACE_SYMBOL))


def _byte_text(line: str, errors: str) -> str:
    line = checked_text(_WHITESPACE.sub(" ", line), errors)
    return bytes_to_symbols(line.encode("utf-8"))
