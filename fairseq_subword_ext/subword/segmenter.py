"""Applying a merge table: words, lines and files become subwords.

Sennrich, Haddow & Birch 2016, section 3.2: in a word, the adjacent pair that was learned first is
merged, everywhere from left to right, until no pair of the table is left. Under BPE-dropout
(Provilkov, Emelianenko & Voita 2020) each merge is skipped with a given probability each time it is
considered.
"""

from dataclasses import dataclass
from typing import Any, Collection, Optional, Sequence, Union

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.escaping import check_separator
from fairseq_subword_ext.subword.glossary import Glossary, SubwordNmtGlossary
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.native_segmenter import NativeSegmenter
from fairseq_subword_ext.subword.options import check_choices, choice
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.subword.vocabulary import Vocabulary
from fairseq_subword_ext.textio.errors import whole_number

UNKNOWN = ("keep", "error", "unk")
CARRIAGE_RETURNS = ("error", "replace", "keep")
COMPAT = ("subword-nmt",)


@dataclass(frozen=True)
class SegmentOptions:
    """The keyword arguments of :class:`.Segmenter`.

    Attributes:
        separator: appended to every piece but the last of a word.
        merges: use only the first N merges; None for all.
        vocabulary: the tokens that may be printed, separator included, as returned by
            ``Vocabulary.tokens(threshold)``; merges that make other tokens are undone. None for no filter.
        glossaries: terms or regular expressions to keep whole, see :mod:`.glossary`.
        unknown: what to do with a character that is not in the table's alphabet: ``keep`` it, raise an
            ``error``, or print ``<unk>``.
        compat: None, or ``subword-nmt`` to reproduce its output exactly: nothing is escaped, pieces
            spelled like Fairseq's control symbols are printed, and every ``\\r`` is kept.
        escape: whether to escape what Fairseq would misread, see :mod:`.escaping`.
        carriage_return: what to do with a ``\\r`` inside a line: raise an ``error``, ``replace`` it with
            a space, or ``keep`` it.
        fallback: whether to use the slow reference implementation, with a warning, if the compiled core
            is missing.

    Raises:
        ValueError: If a value is invalid.
    """

    separator: str = SEPARATOR
    merges: Optional[int] = None
    vocabulary: Union[Vocabulary, Collection[str], None] = None
    glossaries: Sequence[str] = ()
    unknown: str = choice("keep", UNKNOWN)
    compat: Optional[str] = choice(None, COMPAT)
    escape: bool = True
    carriage_return: str = choice("error", CARRIAGE_RETURNS)
    fallback: bool = False

    def __post_init__(self) -> None:
        check_choices(self)
        if self.merges is not None:
            whole_number("the number of merges to use", self.merges)

    @property
    def escapes(self) -> bool:
        """Whether anything is escaped."""
        return self.escape and self.compat is None

    @property
    def treats_carriage_return(self) -> str:
        """How a ``\\r`` is treated, given ``compat``."""
        return "keep" if self.compat else self.carriage_return

    @property
    def printable(self) -> Optional[Collection[str]]:
        """The tokens that may be printed; None for all."""
        vocabulary = self.vocabulary
        if isinstance(vocabulary, Vocabulary):
            vocabulary = vocabulary.tokens()
        if self.compat and not vocabulary:
            return None  # subword-nmt treats an empty vocabulary as none
        return None if vocabulary is None else set(vocabulary)

    def check_table(self, table: MergeTable) -> None:
        """Checks that the options suit a merge table.

        Raises:
            ValueError: If an option does not suit the table's unit or needs an alphabet that is missing.
        """
        if self.escapes and table.unit == "char":
            check_separator(self.separator)
        if self.glossaries and table.unit == "byte":
            raise ValueError("glossaries need unit 'char', but the codes have unit 'byte'")
        if self.unknown != "keep" and table.alphabet is None:
            raise ValueError(
                f"unknown={self.unknown!r} needs the alphabet of the training text, but CODES.json, which "
                "contains it, is missing"
            )


class Segmenter(NativeSegmenter):
    """Segments text by a merge table. Can be pickled; may be used from several threads.

    If the unit is the character, every piece but the last of a word ends in the separator, as in
    subword-nmt. If it is the byte, pieces are byte text, and every space starts a piece.

    Args:
        merge_table: from ``learn_bpe`` or ``MergeTable.load``.
        arguments, options: the fields of :class:`.SegmentOptions`.

    Attributes:
        options: the options in use.

    Raises:
        ValueError: If an option cannot be used.
        ImportError: If the compiled core has not been built and ``fallback`` is False.
    """

    def __init__(self, merge_table: MergeTable, *arguments: Any, **options: Any):
        self._set(merge_table, SegmentOptions(*arguments, **options))

    @classmethod
    def from_options(cls, merge_table: MergeTable, options: SegmentOptions) -> "Segmenter":
        """Returns a segmenter with these options."""
        segmenter = cls.__new__(cls)
        segmenter._set(merge_table, options)
        return segmenter

    def _set(self, table: MergeTable, options: SegmentOptions) -> None:
        options.check_table(table)
        self._table = table
        self.options = options
        glossary = SubwordNmtGlossary if options.compat else Glossary
        core = _core(options.fallback)(
            table.merges[: options.merges],
            table.version,
            options.separator,
            options.printable,
            options.unknown,
            None if table.alphabet is None else set(table.alphabet),
            options.compat == "subword-nmt",
            options.escapes,
            options.treats_carriage_return,
            glossary(options.glossaries) if options.glossaries else None,
        )
        super().__init__(core)

    def __reduce__(self) -> Any:
        return Segmenter.from_options, (self._table, self.options)


def _core(fallback: bool) -> Any:
    try:
        return native_core().TextSegmenter
    except ImportError:
        if not fallback:
            raise
        from fairseq_subword_ext.subword.fallback import ReferenceSegmenter

        return ReferenceSegmenter
