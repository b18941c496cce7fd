"""What Fairseq's own byte_bpe, bytes and characters do, for models that were trained with them.

These codings lose text: runs of spaces and every Unicode space become one space (``bytes``,
``byte_bpe``), U+2581 becomes a space (``characters``), normalization changes characters
(``byte_bpe``), and symbols that stand for control strings are not told from text. Where Fairseq
raises on a model's output, what it cannot decode is left out instead.
"""

import re

from fairseq_subword_ext.subword.byte_text import (
    SPACE_SYMBOL,
    bytes_to_symbols,
    checked_text,
    symbols_to_bytes,
)
from fairseq_subword_ext.subword.line_codec import LineCodec
from fairseq_subword_ext.subword.sentencepiece_model import (
    is_sentencepiece_model,
    load_processor,
)
from fairseq_subword_ext.subword.utf8 import recover_utf8
from fairseq_subword_ext.textio.files import PathLike, binary_reader

_WHITESPACE = re.compile(r"\s+")


class FairseqBytes(LineCodec):
    """Fairseq's ``bytes``: one symbol a byte, ``▁`` for a space."""

    def encode(self, line: str) -> str:
        return " ".join(self._byte_text(line))

    def decode(self, line: str) -> str:
        return recover_utf8(symbols_to_bytes(line.replace(" ", "")))

    def _byte_text(self, line: str) -> str:
        line = checked_text(_WHITESPACE.sub(" ", line), self.errors)
        return bytes_to_symbols(line.encode("utf-8"))


class FairseqByteBPE(FairseqBytes):
    """Fairseq's ``byte_bpe``: a SentencePiece model on byte text, with the model's own settings."""

    def __init__(self, codes: PathLike, errors: str = "strict", fallback: bool = False):
        """Loads the model.

        Args:
            codes: a SentencePiece ``.model`` file.
            errors: as in :class:`.LineCodec`.
            fallback: without effect; SentencePiece needs no compiled core of ours.

        Raises:
            ValueError: where SentencePiece refuses the file.
            OSError: where it cannot be read.
        """
        super().__init__(errors)
        with binary_reader(codes) as stream:
            model = stream.read()
        if not is_sentencepiece_model(model):
            raise ValueError(
                f"{codes}: expected a SentencePiece model, which is all that Fairseq's byte_bpe knows; "
                "leave out the compatibility (--compat, --bpe-compat) for other codes"
            )
        self._processor = load_processor(model, str(codes))

    def encode(self, line: str) -> str:
        # Fairseq hands plain spaces to SentencePiece, which normalizes them before it marks them.
        byte_text = self._byte_text(line).replace(SPACE_SYMBOL, " ")
        return " ".join(self._processor.encode(byte_text, out_type=str))


class FairseqCharacters(LineCodec):
    """Fairseq's ``characters``: one symbol a character, ``▁`` for a space."""

    def encode(self, line: str) -> str:
        return " ".join(line.replace(" ", SPACE_SYMBOL))

    def decode(self, line: str) -> str:
        return line.replace(" ", "").replace(SPACE_SYMBOL, " ")
