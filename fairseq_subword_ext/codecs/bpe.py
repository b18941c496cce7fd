"""``generalized_bpe``: BPE with any merge table of this package, of subword-nmt or of fastBPE.

The merges determine the segmentation; the goodness measure that they were learned with does not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Callable, FrozenSet, List, Optional, Tuple

from fairseq_subword_ext.codecs.codec import Codec, CodecOptions, codes_option, dropout_option
from fairseq_subword_ext.codecs.notation import Notation
from fairseq_subword_ext.codecs.pieces import Pieces, UnescapedPieces
from fairseq_subword_ext.codecs.registry import notation_of
from fairseq_subword_ext.subword.byte_text import checked_line, checked_lines
from fairseq_subword_ext.subword.escaping import ESCAPE
from fairseq_subword_ext.subword.glossary import read_literal_terms
from fairseq_subword_ext.subword.id_encoder import DictionaryIndices, IdEncoder
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.options import Rule, option
from fairseq_subword_ext.subword.segmenter import UNKNOWN, Segmenter, SegmentOptions
from fairseq_subword_ext.subword.symbols import END_OF_WORD, SEPARATOR
from fairseq_subword_ext.subword.vocabulary import Vocabulary
from fairseq_subword_ext.textio.block_stream import BlockCoder
from fairseq_subword_ext.textio.files import PathLike
from fairseq_subword_ext.textio.pipeline import available_processors


@dataclass(frozen=True)
class MergeTableOptions(CodecOptions):
    """The options of BPE; :class:`.SegmentOptions` documents their meaning."""

    codes: Optional[PathLike] = codes_option(
        "codes file from learn-bpe, or from subword-nmt or fastBPE"
    )
    merges: int = option(
        -1, "use the first N merges only (default: all)", "-m", type=int, metavar="N", fairseq=False
    )  # fmt: skip
    separator: str = option(
        SEPARATOR, f"the end of every piece but the last of a word (default: '{SEPARATOR}')", "-s",
        metavar="STRING",
    )  # fmt: skip
    vocabulary: Optional[PathLike] = option(
        None, "vocabulary from get-vocab: undo merges that make a piece outside it",
        metavar="FILE", is_file=True,
    )  # fmt: skip
    vocabulary_threshold: Optional[int] = option(
        None, "use only pieces of the vocabulary that occur at least N times", type=int,
        metavar="N",
    )  # fmt: skip
    dropout: float = dropout_option()
    glossaries: Tuple[str, ...] = option(
        (), "regular expressions for words, or parts of words, to keep whole", metavar="REGEX", nargs="+"
    )  # fmt: skip
    glossary_file: Optional[PathLike] = option(
        None, "file with literal strings to keep whole, one per line", metavar="FILE", is_file=True
    )  # fmt: skip
    unknown: str = option(
        "keep", "characters outside the alphabet of CODES.json: keep them, raise an error, or print <unk> "
        "(default: keep)", choices=UNKNOWN, fairseq=False,
    )  # fmt: skip


class MergeTableCodec(Codec):
    """Segments with a merge table: into ``@@`` text, or into byte text if the table's unit is the byte.

    In ``@@`` text a run of spaces becomes one space, and Fairseq drops spaces at the ends of a line.

    Attributes:
        table: the merge table.
    """

    Options = MergeTableOptions
    RULES = (Rule("vocabulary_threshold", needs="vocabulary"),)
    name = "generalized_bpe"

    def __init__(self, codes: Optional[PathLike] = None, **options: Any):
        super().__init__(codes=codes, **options)
        chosen = self.options
        self.table = MergeTable.load(chosen.codes, None if chosen.merges == -1 else chosen.merges)
        self._segment = SegmentOptions(
            separator=chosen.separator,
            vocabulary=self._vocabulary(),
            glossaries=self._glossaries(),
            unknown=chosen.unknown,
            compat=self.compat,
            carriage_return=chosen.carriage_return,
            fallback=chosen.fallback,
        )
        self._segmenter = Segmenter.from_options(self.table, self._segment)

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return Pieces(cls.name, separator)

    @cached_property
    def notation(self) -> Notation:
        if self.table.unit == "byte":
            return notation_of("bbpe")
        return self.reads(self.options.separator)

    @property
    def split_separator(self) -> Optional[str]:
        # No sign of wrong codes in byte text, which splits rare scripts, or with dropout, which splits any word.
        options = self.options
        return options.separator if self.table.unit == "char" and not options.dropout else None

    def encode(self, line: str) -> str:
        if self.options.errors == "replace":
            line = checked_line(line, "replace")
        return self._segmenter.segment_line(line, self.options.dropout)

    def encode_lines(self, lines: Sequence[str], num_workers: Optional[int] = None) -> List[str]:
        if self.options.errors == "replace":
            lines = checked_lines(lines, "replace")
        workers = num_workers or available_processors()
        return self._segmenter.segment_lines(lines, workers, self.options.dropout)

    def block_coder(
        self, carriage_return: str = "error", name: str = "input", seed: Optional[int] = None
    ) -> BlockCoder:
        # No strings are made, and the GIL is not held.
        return self._segmenter_of(carriage_return).block_coder(self.options.dropout, seed)

    def id_encoder(
        self, dictionary: DictionaryIndices, append_eos: bool = True, carriage_return: str = "error"
    ) -> IdEncoder:
        segmenter = self._segmenter_of(carriage_return)
        return segmenter.id_encoder(dictionary, append_eos, self.options.dropout)

    def _segmenter_of(self, carriage_return: str) -> Segmenter:
        if carriage_return == self._segment.carriage_return:
            return self._segmenter
        options = replace(self._segment, carriage_return=carriage_return)
        return Segmenter.from_options(self.table, options)

    @property
    def fixed_symbols(self) -> List[str]:
        return self._producible() if self.table.unit == "byte" else []

    def known_symbols(self) -> Tuple[List[str], Optional[str]]:
        if self.table.unit == "char" and self.table.alphabet is None:
            symbols = self._symbols_of_merges()
            reason: Optional[str] = "the codes come without their alphabet, CODES.json"
        else:
            symbols, reason = self._producible(), None
        if self.options.glossaries or self.options.glossary_file:
            reason = "a glossary term can be anything"
        if self._segment.vocabulary is not None:
            separator = self.options.separator
            symbols = [
                symbol
                for symbol in symbols
                if symbol in self._segment.vocabulary or len(symbol.replace(separator, "")) == 1
            ]
        if self.compat == "subword-nmt":
            symbols = [symbol for symbol in symbols if ESCAPE not in symbol]  # nothing is escaped
        return symbols, reason

    def _symbols_of_merges(self) -> List[str]:
        """The pieces that the merges join or make, each of which occurred in the training text."""
        # Imported late: segmenting text does not need dictionaries.
        from fairseq_subword_ext.subword.dictionary import printed_pieces

        found = dict.fromkeys(piece for pair in self.table for piece in (*pair, "".join(pair)))
        ends = [piece for piece in found if piece.endswith(END_OF_WORD)]
        inner = [piece for piece in found if not piece.endswith(END_OF_WORD)]
        last = [piece[: -len(END_OF_WORD)] for piece in ends]
        return printed_pieces(inner, list(filter(None, last)), self.options.separator)

    def may_make(self, symbol: str) -> bool:
        if self.options.glossaries or self.options.glossary_file:
            return True  # a glossary term can be anything
        return self._makes(symbol)

    @cached_property
    def _makes(self) -> Callable[[str], bool]:
        if self.table.unit == "byte" or self.table.alphabet is not None:
            return frozenset(self._producible()).__contains__
        separator = self.options.separator
        pieces = {(left + right).replace(END_OF_WORD, "") for left, right in self.table}

        def makes(symbol: str) -> bool:
            stem = symbol[: -len(separator)] if symbol.endswith(separator) else symbol
            # Without the alphabet, any character may have occurred in the text.
            return stem in pieces or len(stem) == 1 or ESCAPE in stem

        return makes

    def _producible(self) -> List[str]:
        # Imported late: segmenting text does not need dictionaries.
        from fairseq_subword_ext.subword.dictionary import producible_tokens

        return producible_tokens(self.table, self.options.separator)

    def signature(self) -> str:
        return self.table.signature()

    def _vocabulary(self) -> Optional[FrozenSet[str]]:
        if self.options.vocabulary is None:
            return None
        vocabulary = Vocabulary.load(self.options.vocabulary, escaped=self.compat is None)
        return vocabulary.tokens(self.options.vocabulary_threshold)

    def _glossaries(self) -> Tuple[str, ...]:
        options = self.options
        terms = [] if options.glossary_file is None else read_literal_terms(options.glossary_file)
        return (*options.glossaries, *terms)


class SubwordNmtCodec(MergeTableCodec):
    """Reproduces subword-nmt's output exactly, for models trained on it: nothing is escaped."""

    RULES = (
        *MergeTableCodec.RULES,
        Rule(
            "carriage_return",
            excludes="replace",
            because=": --compat subword-nmt keeps carriage returns",
        ),
    )
    compat = "subword-nmt"

    @classmethod
    def reads(cls, separator: str = SEPARATOR) -> Notation:
        return UnescapedPieces(cls.name, separator)
