"""Codings whose symbols are byte text: single bytes, and byte-level subwords."""

from collections.abc import Sequence
from typing import List, Optional, Union

from fairseq_subword_ext.subword.byte_text import (
    checked_line,
    checked_lines,
    to_byte_text,
    to_byte_texts,
)
from fairseq_subword_ext.subword.dictionary import producible_tokens
from fairseq_subword_ext.subword.id_encoder import DictionaryIndices, IdEncoder
from fairseq_subword_ext.subword.line_codec import LineCodec
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.native_segmenter import NativeSegmenter
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.sentencepiece_model import (
    SentencePieceModel,
    is_sentencepiece_model,
)
from fairseq_subword_ext.subword.symbols import BYTE_VERSION
from fairseq_subword_ext.subword.utf8 import from_byte_text, from_byte_texts
from fairseq_subword_ext.textio.block_stream import BlockCoder
from fairseq_subword_ext.textio.files import PathLike, binary_reader
from fairseq_subword_ext.textio.pipeline import available_processors


class ByteTextCodec(LineCodec):
    """What the codings on byte text share: the way back."""

    def decode(self, line: str) -> str:
        return from_byte_text(line)

    def decode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        return from_byte_texts(lines, num_workers or available_processors())


class ByteLevel(ByteTextCodec):
    """One symbol a byte: the line ``hi ñ`` is ``▁ h i ▁ Ã ±``."""

    def encode(self, line: str) -> str:
        return " ".join(to_byte_text(line, self.errors))

    def encode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        return list(map(" ".join, to_byte_texts(lines, self.errors)))

    def block_coder(self, carriage_return: str = "error", name: str = "input") -> BlockCoder:
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
        """Byte-level BPE without any merge, which the core does without holding Python's lock."""
        return Segmenter(MergeTable([], "byte", BYTE_VERSION), carriage_return=carriage_return)


class ByteLevelBPE(ByteTextCodec):
    """Byte-level subwords by a merge table or a SentencePiece model, told apart by content.

    Attributes:
        table: the merge table; None with a SentencePiece model.
        model: the SentencePiece model; None with a merge table.

    Source: Wang, Cho & Gu 2020, section 2.
    """

    def __init__(self, codes: PathLike, errors: str = "strict", fallback: bool = False):
        """Loads the codes.

        Args:
            codes: byte-level codes, or a SentencePiece ``.model`` file of byte text.
            errors: as in :class:`.LineCodec`.
            fallback: where the compiled core is missing, segment by the slow readable twin with a
                warning; otherwise codes need the core.

        Raises:
            ValueError: where the file is of another kind, or broken.
            OSError: where it cannot be read.
            ImportError: where codes need the compiled core and it has not been built.
        """
        super().__init__(errors)
        with binary_reader(codes) as stream:
            content = stream.read()
        self.table: Optional[MergeTable] = None
        self.model: Optional[SentencePieceModel] = None
        self._segmenter: Union[Segmenter, SentencePieceModel]
        if is_sentencepiece_model(content):
            self.model = self._segmenter = SentencePieceModel(content, str(codes))
            return
        self.table = MergeTable.load(codes)
        if self.table.unit != "byte":
            raise ValueError(
                f"{codes}:1: found codes of characters (version {self.table.version}), expected "
                "byte-level codes; use these with generalized_bpe, or learn others with "
                "`fairseq-subword learn-bpe --unit byte`"
            )
        # A carriage return is a byte like any other to a model; files of text are checked elsewhere.
        self._segmenter = Segmenter(self.table, carriage_return="keep", fallback=fallback)
        self._fallback = fallback

    @property
    def symbols(self) -> List[str]:
        """Every symbol that encoding can give, for a dictionary."""
        return self.model.pieces if self.model else producible_tokens(self.table)

    def encode(self, line: str) -> str:
        return self._segmenter.segment_line(checked_line(line, self.errors))

    def encode_lines(
        self,
        lines: Sequence[str],
        num_workers: Optional[int] = None,
        dropout: float = 0.0,
        seed: Optional[int] = None,
        first_line: int = 0,
    ) -> List[str]:
        """As :meth:`.LineCodec.encode_lines`, with BPE-dropout where it is asked for.

        A line's segmentation depends on the seed and on its number alone, whatever the threads.

        Args:
            lines, num_workers: As there.
            dropout, seed, first_line: As for :meth:`.Segmenter.segment_lines`.

        Raises:
            ValueError: As there, and if a model that only the library can apply is asked for dropout.
        """
        # The core finds lone surrogates itself, but takes a newline at the end of a line for granted.
        if self.errors != "strict" or "\n" in "".join(lines):
            lines = checked_lines(lines, self.errors)
        try:
            return self._segmenter.segment_lines(
                lines, num_workers or available_processors(), dropout, seed, first_line
            )
        except ValueError:
            checked_lines(lines)
            raise

    def block_coder(
        self,
        carriage_return: str = "error",
        name: str = "input",
        dropout: float = 0.0,
        seed: Optional[int] = None,
    ) -> BlockCoder:
        """As :meth:`.LineCodec.block_coder`, with BPE-dropout where it is asked for."""
        segmenter = self._segmenter_of_files(carriage_return)
        if segmenter is not None:
            # Without making strings of the lines, and without holding Python's lock.
            return segmenter.block_coder(dropout, seed)
        if dropout:
            self._segmenter.segment_lines([], 1, dropout)  # says why not
        return super().block_coder(carriage_return, name)

    def id_encoder(
        self, dictionary: DictionaryIndices, append_eos: bool = True, carriage_return: str = "error"
    ) -> IdEncoder:
        segmenter = self._segmenter_of_files(carriage_return)
        if segmenter is None:
            return super().id_encoder(dictionary, append_eos, carriage_return)
        return segmenter.id_encoder(dictionary, append_eos)

    def _segmenter_of_files(self, carriage_return: str) -> Optional[NativeSegmenter]:
        if self.table is None:
            return self.model.native_segmenter(carriage_return)
        return Segmenter(self.table, carriage_return=carriage_return, fallback=self._fallback)
