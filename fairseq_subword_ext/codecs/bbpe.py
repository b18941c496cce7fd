"""``bbpe``: byte-level subwords by a merge table or a SentencePiece model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, FrozenSet, List, Optional, Union

from fairseq_subword_ext.codecs.byte_notation import ByteText
from fairseq_subword_ext.codecs.codec import Codec, CodecOptions, codes_option, dropout_option
from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS, checked_line, checked_lines
from fairseq_subword_ext.subword.dictionary import producible_tokens
from fairseq_subword_ext.subword.id_encoder import DictionaryIndices, IdEncoder
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.native_segmenter import NativeSegmenter
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.sentencepiece_model import (
    SentencePieceModel,
    is_sentencepiece_model,
)
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.textio.block_stream import BlockCoder
from fairseq_subword_ext.textio.files import PathLike, binary_reader
from fairseq_subword_ext.textio.pipeline import available_processors


@dataclass(frozen=True)
class ByteCodesOptions(CodecOptions):
    """The options of byte-level subwords."""

    codes: Optional[PathLike] = codes_option(
        "byte-level codes (learn-bpe --unit byte) or a SentencePiece model of byte text"
    )


@dataclass(frozen=True)
class ByteLevelBPEOptions(ByteCodesOptions):
    """The options of ``bbpe``, including those that Fairseq's own ``byte_bpe`` lacks."""

    dropout: float = dropout_option()


class ByteLevelBPE(Codec):
    """Byte-level subwords; the kind of codes is detected from their content.

    Attributes:
        table: the merge table; None with a SentencePiece model.
        model: the SentencePiece model; None with a merge table.

    Source: Wang, Cho & Gu 2020, section 2.
    """

    Options = ByteLevelBPEOptions
    name = "bbpe"

    def __init__(self, codes: Optional[PathLike] = None, **options: Any):
        super().__init__(codes=codes, **options)
        codes, chosen = self.options.codes, self.options
        with binary_reader(codes) as stream:
            content = stream.read()
        self.table: Optional[MergeTable] = None
        self.model: Optional[SentencePieceModel] = None
        self._segmenter: Union[NativeSegmenter, SentencePieceModel]
        if is_sentencepiece_model(content):
            self.model = self._segmenter = SentencePieceModel(content, str(codes))
            if chosen.dropout:
                self.model.segment_lines([], 1, chosen.dropout)  # raises if unsupported
            return
        self.table = MergeTable.load(codes)
        if self.table.unit != "byte":
            raise ValueError(
                f"{codes}:1: found codes of characters (version {self.table.version}), expected "
                "byte-level codes; use these with generalized_bpe, or learn others with "
                "`fairseq-subword learn-bpe --unit byte`"
            )
        self._segmenter = self._merging(chosen.carriage_return)

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return ByteText(cls.name)

    @property
    def symbols(self) -> List[str]:
        """All symbols that encoding can produce, for a dictionary."""
        return self.model.pieces if self.model else producible_tokens(self.table)

    @property
    def fixed_symbols(self) -> List[str]:
        return [*self.symbols, *BYTE_SYMBOLS]

    def may_make(self, symbol: str) -> bool:
        return symbol in self._all_symbols

    @cached_property
    def _all_symbols(self) -> FrozenSet[str]:
        return frozenset(self.fixed_symbols)

    def encode(self, line: str) -> str:
        return self._segmenter.segment_line(
            checked_line(line, self.options.errors), self.options.dropout
        )

    def encode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        # The core finds lone surrogates itself, but accepts a newline at the end of a line.
        if self.options.errors != "strict" or "\n" in "".join(lines):
            lines = checked_lines(lines, self.options.errors)
        try:
            return self._segmenter.segment_lines(
                lines, num_workers or available_processors(), self.options.dropout
            )
        except ValueError:
            checked_lines(lines)
            raise

    def block_coder(
        self, carriage_return: str = "error", name: str = "input", seed: Optional[int] = None
    ) -> BlockCoder:
        segmenter = self._segmenter_of(carriage_return)
        if segmenter is None:
            return super().block_coder(carriage_return, name)
        # No strings are made, and the GIL is not held.
        return segmenter.block_coder(self.options.dropout, seed)

    def id_encoder(
        self, dictionary: DictionaryIndices, append_eos: bool = True, carriage_return: str = "error"
    ) -> IdEncoder:
        segmenter = self._segmenter_of(carriage_return)
        if segmenter is None:
            return super().id_encoder(dictionary, append_eos, carriage_return)
        return segmenter.id_encoder(dictionary, append_eos, self.options.dropout)

    def _segmenter_of(self, carriage_return: str) -> Optional[NativeSegmenter]:
        """Returns the core's segmenter; None if only SentencePiece itself can segment."""
        if self.model is not None:
            return self.model.native_segmenter(carriage_return)
        if carriage_return == self.options.carriage_return:
            return self._segmenter
        return self._merging(carriage_return)

    def _merging(self, carriage_return: str) -> Segmenter:
        fallback = self.options.fallback
        return Segmenter(self.table, carriage_return=carriage_return, fallback=fallback)
