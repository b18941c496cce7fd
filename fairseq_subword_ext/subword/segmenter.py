"""Applying a merge table: words, lines and files become subwords.

Sennrich, Haddow & Birch 2016, section 3.2: in a word, the adjacent pair that was learned first is
merged, everywhere from left to right, until no pair of the table is left. Under BPE-dropout
(Provilkov, Emelianenko & Voita 2020) each merge is skipped with a given probability each time it is
considered.
"""

from typing import Any

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.subword.glossary import Glossary, SubwordNmtGlossary
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.native_segmenter import NativeSegmenter
from fairseq_subword_ext.subword.segment_options import SegmentOptions


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
