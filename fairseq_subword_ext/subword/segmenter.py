"""Applying a merge table: words, lines and files become subwords.

Sennrich, Haddow & Birch 2016, section 3.2: in a word, the adjacent pair that was learned first is
merged, at all its places from left to right, until no pair of the table is left. Under BPE-dropout
(Provilkov, Emelianenko & Voita 2020) each merge is left out with a probability each time that it is
considered.
"""

from typing import (
    Any,
    BinaryIO,
    Callable,
    Collection,
    Iterable,
    List,
    Optional,
    Sequence,
    Union,
)

from fairseq_subword_ext.subword.block_stream import (
    Block,
    BlockCoder,
    by_threads,
    segment_stream,
)
from fairseq_subword_ext.subword.compressed_output import PlainOutput
from fairseq_subword_ext.subword.core import native_core
from fairseq_subword_ext.subword.dictionary import DictionaryIndices
from fairseq_subword_ext.subword.escaping import check_separator
from fairseq_subword_ext.subword.glossary import Glossary, SubwordNmtGlossary
from fairseq_subword_ext.subword.id_encoder import (
    EncodedLines,
    IdEncoder,
    check_workers,
    checked_dropout,
    drawn_seed,
)
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.subword.vocabulary import Vocabulary

UNKNOWN = ("keep", "error", "unk")
CARRIAGE_RETURNS = ("error", "replace", "keep")


class NativeSegmenter:
    """What segments lines by some subword model in the compiled core."""

    def __init__(self, core: Any):
        """Wraps the core's object, or what stands in for it."""
        self._core = core

    def segment(self, word: str, dropout: float = 0.0, seed: Optional[int] = None) -> List[str]:
        """The pieces of one word, raw: without separators and escapes.

        Raises:
            ValueError: where the word is empty or holds U+0020 or a newline, or, if that was asked
                for, a character outside the alphabet.
        """
        if not word or " " in word or "\n" in word:
            raise ValueError(f"expected one word, without spaces; found {word!r}")
        return self._core.pieces(word, checked_dropout(dropout), drawn_seed(seed))

    def segment_line(self, line: str, dropout: float = 0.0, seed: Optional[int] = None) -> str:
        """Segments one line; its line end and spaces around it stay.

        Raises:
            ValueError: as :meth:`segment_lines`.
        """
        return self.segment_lines([line], 1, dropout, seed)[0]

    def segment_lines(
        self,
        lines: Iterable[str],
        num_workers: int = 1,
        dropout: float = 0.0,
        seed: Optional[int] = None,
        first_line: int = 0,
    ) -> List[str]:
        """Segments lines, in several threads and without holding Python's lock.

        Args:
            lines: each without a newline, or with one at its end only.
            num_workers: threads; they change nothing but the time taken.
            dropout: probability of leaving out a merge, from 0 to 1.
            seed: the same seed gives the same segmentation; None draws one.
            first_line: number of the first line, from 0: each line has its own random numbers, made
                from the seed and its number.

        Returns:
            One line for each line.

        Raises:
            ValueError: naming the line, for a ``\\r`` inside it, a newline inside it, a lone surrogate,
                or, if that was asked for, a character outside the alphabet.
        """
        check_workers(num_workers)
        return self._core.segment_lines(
            list(lines), checked_dropout(dropout), drawn_seed(seed), first_line, num_workers
        )

    def segment_stream(
        self,
        source: BinaryIO,
        target: BinaryIO,
        num_workers: int = 1,
        dropout: float = 0.0,
        seed: Optional[int] = None,
        output: Optional[PlainOutput] = None,
        watch: Callable[[Block], None] = lambda block: None,
    ) -> int:
        """Segments UTF-8 text from one binary stream to another, a block of lines at a time.

        Args:
            source: where to read.
            target: where to write; flushed after each block.
            num_workers, dropout, seed: as for :meth:`segment_lines`.
            output, watch: as for :func:`.segment_stream`.

        Returns:
            The number of lines.

        Raises:
            ValueError: as :meth:`segment_lines`, and for text that is not UTF-8.
        """
        check_workers(num_workers)
        coder = self.block_coder(dropout, seed)
        return segment_stream(source, target, coder, by_threads(num_workers), output, watch)

    def block_coder(self, dropout: float = 0.0, seed: Optional[int] = None) -> BlockCoder:
        """What segments blocks of lines, for :func:`.segment_stream` and :func:`.segment_files`.

        Raises:
            ValueError: where dropout is no probability.
        """
        checked_dropout(dropout)
        seed = drawn_seed(seed)
        core = self._core
        return BlockCoder(
            lambda block, first_line: core.segment_text(block, dropout, seed, first_line),
            core.count_lines,
        )

    def id_encoder(self, dictionary: DictionaryIndices, append_eos: bool = True) -> IdEncoder:
        """What gives a dictionary's indices in the place of segmented text.

        Args:
            dictionary: Fairseq's, or :class:`.DictionaryIndices`.
            append_eos: end each line with the dictionary's ``</s>``.
        """
        return IdEncoder(
            self._core.id_segmenter(
                dictionary.indices,
                dictionary.unk_index,
                dictionary.eos_index if append_eos else None,
            ),
        )

    def encode_ids(
        self,
        lines: Iterable[str],
        dictionary: DictionaryIndices,
        num_workers: int = 1,
        dropout: float = 0.0,
        seed: Optional[int] = None,
        first_line: int = 0,
        append_eos: bool = True,
    ) -> EncodedLines:
        """Segments lines to a dictionary's indices: those of what :meth:`segment_lines` gives.

        No token is spelled. Who encodes a text in parts keeps what :meth:`id_encoder` gives, which
        remembers words.

        Args:
            dictionary, append_eos: as for :meth:`id_encoder`.
            lines, num_workers, dropout, seed, first_line: as for :meth:`segment_lines`.

        Raises:
            ValueError: as :meth:`segment_lines`.
        """
        encoder = self.id_encoder(dictionary, append_eos)
        return encoder.encode_lines(lines, num_workers, dropout, seed, first_line)


class Segmenter(NativeSegmenter):
    """Segments text by a merge table. Can be pickled; may be used from several threads.

    With characters as units a piece that is not its word's last carries the separator, as in
    subword-nmt; with bytes pieces are byte text, and every space starts a piece.

    Args:
        merge_table: what ``learn_bpe`` or ``MergeTable.load`` gave.
        separator: appended to all pieces of a word but the last.
        merges: use the first so many merges only; None for all.
        vocabulary: tokens that may be printed (separator included), as ``Vocabulary.tokens(threshold)``
            gives them: merges that made others are undone. None for no such filter.
        glossaries: terms or regular expressions that are left whole, see :mod:`.glossary`.
        unknown: what to do with a character that the training text did not have, by the table's
            alphabet: ``keep`` it, raise an ``error``, or print ``<unk>``.
        compat: None, or ``subword-nmt`` for exactly its output: nothing is escaped, pieces spelled
            like Fairseq's control symbols are printed, and a ``\\r`` is kept wherever it stands.
        escape: write what Fairseq would misread as :mod:`.escaping` says.
        carriage_return: a ``\\r`` inside a line: ``error``, ``replace`` by a space, or ``keep``.
        fallback: where the compiled core is missing, use the slow readable twin with a warning.

    Raises:
        ValueError: for an argument that cannot be used.
        ImportError: where the compiled core has not been built and ``fallback`` is False.
    """

    def __init__(
        self,
        merge_table: MergeTable,
        separator: str = SEPARATOR,
        merges: Optional[int] = None,
        vocabulary: Union[Vocabulary, Collection[str], None] = None,
        glossaries: Sequence[str] = (),
        unknown: str = "keep",
        compat: Optional[str] = None,
        escape: bool = True,
        carriage_return: str = "error",
        fallback: bool = False,
    ):
        self._arguments = (
            merge_table, separator, merges, vocabulary, glossaries, unknown, compat, escape,
            carriage_return, fallback,
        )  # fmt: skip
        if compat not in (None, "subword-nmt"):
            raise ValueError(f"compat {compat!r} is not known; there is subword-nmt")
        if compat:
            escape, carriage_return = False, "keep"
        if escape and merge_table.unit == "char":
            check_separator(separator)
        if unknown not in UNKNOWN:
            raise ValueError(f"unknown {unknown!r} is none of {', '.join(UNKNOWN)}")
        if carriage_return not in CARRIAGE_RETURNS:
            raise ValueError(f"carriage_return {carriage_return!r} is not known")
        if merges is not None and merges < 0:
            raise ValueError(f"the number of merges to use is {merges}, and has to be 0 or more")
        if glossaries and merge_table.unit == "byte":
            raise ValueError("glossaries go with characters as units, not with bytes")
        alphabet = merge_table.alphabet
        if unknown != "keep" and alphabet is None:
            raise ValueError(
                f"unknown={unknown!r} needs the alphabet of the training text, and the codes come "
                "without their CODES.json, which holds it"
            )
        if isinstance(vocabulary, Vocabulary):
            vocabulary = vocabulary.tokens()
        if compat and not vocabulary:
            vocabulary = None  # to subword-nmt an empty vocabulary is none
        glossary = (SubwordNmtGlossary if compat else Glossary)(glossaries)
        core = _core(fallback)(
            merge_table.merges[:merges],
            merge_table.version,
            separator,
            None if vocabulary is None else set(vocabulary),
            unknown,
            None if alphabet is None else set(alphabet),
            compat == "subword-nmt",
            escape,
            carriage_return,
            glossary if glossaries else None,
        )
        super().__init__(core)

    def __reduce__(self) -> Any:
        return Segmenter, self._arguments


def _core(fallback: bool) -> Any:
    try:
        return native_core().TextSegmenter
    except ImportError:
        if not fallback:
            raise
        from fairseq_subword_ext.subword.fallback import ReadableSegmenter

        return ReadableSegmenter
