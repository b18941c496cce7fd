"""What decides how a merge table is applied."""

from dataclasses import dataclass
from typing import Collection, Optional, Sequence, Union

from fairseq_subword_ext.subword.escaping import check_separator
from fairseq_subword_ext.subword.merge_table import MergeTable
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
        separator: appended to all pieces of a word but the last.
        merges: use the first N merges only; None for all.
        vocabulary: tokens that may be printed (separator included), as ``Vocabulary.tokens(threshold)``
            gives them: merges that made others are undone. None for no such filter.
        glossaries: terms or regular expressions that are left whole, see :mod:`.glossary`.
        unknown: what to do with a character that the training text did not have, by the table's
            alphabet: ``keep`` it, raise an ``error``, or print ``<unk>``.
        compat: None, or ``subword-nmt`` for exactly its output: nothing is escaped, pieces spelled
            like Fairseq's control symbols are printed, and a ``\\r`` is kept wherever it stands.
        escape: write what Fairseq would misread as :mod:`.escaping` says.
        carriage_return: a ``\\r`` inside a line: ``error``, ``replace`` by a space, or ``keep``.
        fallback: if the compiled core is missing, use the slow reference implementation with a warning.

    Raises:
        ValueError: If a value cannot be used.
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
        """What becomes of a ``\\r`` in the end."""
        return "keep" if self.compat else self.carriage_return

    @property
    def printable(self) -> Optional[Collection[str]]:
        """The tokens that may be printed; None for all."""
        vocabulary = self.vocabulary
        if isinstance(vocabulary, Vocabulary):
            vocabulary = vocabulary.tokens()
        if self.compat and not vocabulary:
            return None  # to subword-nmt an empty vocabulary is none
        return None if vocabulary is None else set(vocabulary)

    def check_table(self, table: MergeTable) -> None:
        """Refuses what this merge table cannot do.

        Raises:
            ValueError: If an option does not go with the table's unit or lacks its alphabet.
        """
        if self.escapes and table.unit == "char":
            check_separator(self.separator)
        if self.glossaries and table.unit == "byte":
            raise ValueError("glossaries go with characters as units, not with bytes")
        if self.unknown != "keep" and table.alphabet is None:
            raise ValueError(
                f"unknown={self.unknown!r} needs the alphabet of the training text, and the codes come "
                "without their CODES.json, which holds it"
            )
