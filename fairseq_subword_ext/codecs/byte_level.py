"""``byte_level``: one symbol per byte."""

from collections.abc import Sequence
from typing import List, Optional

from fairseq_subword_ext.codecs.byte_notation import ByteText
from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS, to_byte_text, to_byte_texts
from fairseq_subword_ext.subword.id_encoder import DictionaryIndices, IdEncoder
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.symbols import BYTE_VERSION, SEPARATOR
from fairseq_subword_ext.textio.block_stream import BlockCoder


class ByteLevel(Codec):
    """One symbol per byte: the line ``hi ñ`` is ``▁ h i ▁ Ã ±``."""

    name = "byte_level"

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return ByteText(cls.name, single=True)

    def encode(self, line: str) -> str:
        return " ".join(to_byte_text(line, self.options.errors))

    def encode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        return list(map(" ".join, to_byte_texts(lines, self.options.errors)))

    def block_coder(
        self, carriage_return: str = "error", name: str = "input", seed: Optional[int] = None
    ) -> BlockCoder:
        try:
            return self._segmenter(carriage_return).block_coder()
        except ImportError:
            return super().block_coder(carriage_return, name)

    def id_encoder(
        self, dictionary: DictionaryIndices, append_eos: bool = True, carriage_return: str = "error"
    ) -> IdEncoder:
        try:
            return self._segmenter(carriage_return).id_encoder(dictionary, append_eos)
        except ImportError:
            return super().id_encoder(dictionary, append_eos, carriage_return)

    @staticmethod
    def _segmenter(carriage_return: str) -> Segmenter:
        """Byte-level BPE without merges, which the core does without holding the GIL."""
        return Segmenter(MergeTable([], "byte", BYTE_VERSION), carriage_return=carriage_return)

    @property
    def fixed_symbols(self) -> List[str]:
        return list(BYTE_SYMBOLS)

    def may_make(self, symbol: str) -> bool:
        return symbol in BYTE_SYMBOLS
