"""Applying a merge table: words, lines and files become subwords.

Sennrich, Haddow & Birch 2016, section 3.2: in a word, the adjacent pair that was learned first is
merged, at all its places from left to right, until no pair of the table is left. Under BPE-dropout
(Provilkov, Emelianenko & Voita 2020) each merge is left out with a probability each time that it is
considered.
"""

from typing import (
    Any,
    Collection,
    Optional,
    Sequence,
    Union,
)

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.escaping import check_separator
from fairseq_subword_ext.subword.glossary import Glossary, SubwordNmtGlossary
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.native_segmenter import NativeSegmenter
from fairseq_subword_ext.subword.symbols import SEPARATOR
from fairseq_subword_ext.subword.vocabulary import Vocabulary
from fairseq_subword_ext.textio.errors import whole_number

UNKNOWN = ("keep", "error", "unk")
CARRIAGE_RETURNS = ("error", "replace", "keep")


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
        if merges is not None:
            merges = whole_number("the number of merges to use", merges)
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
