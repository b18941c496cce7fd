"""What decides which merges are learned."""

from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

from fairseq_subword_ext.subword.borders import BORDERS
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.goodness import Measure
from fairseq_subword_ext.subword.options import check_choices, choice
from fairseq_subword_ext.subword.symbols import BYTE_VERSION, UNITS, unit_of
from fairseq_subword_ext.textio.errors import LARGEST_COUNT, whole_number

TIE_BREAKS = ("greatest", "least", "first")
DLG_COUNTS = ("tokens", "types")


@dataclass(frozen=True)
class LearnOptions:
    """The keyword arguments of :func:`.learn_bpe`.

    Attributes:
        num_symbols: merges to learn; with ``total_symbols``, the base symbols are subtracted first.
        measure: a registered name or a :class:`.goodness.Measure`.
        unit: ``char`` or ``byte``; what the base symbols are.
        min_frequency: only pairs that occur at least this often are merged.
        dict_input: the inputs are ``word count`` lines.
        total_symbols: ``num_symbols`` counts base symbols and merges: the distinct characters of the
            text, at the end of a word and elsewhere each counted once (as in subword-nmt), or the
            256 bytes.
        tie_break: which of several best pairs is merged: the lexicographically ``greatest`` (as in
            subword-nmt) or ``least``, or the ``first``, leftmost in the present segmentation with word
            types in order of first occurrence.
        dlg_counts: for the dlg measures: whether c, n and m count word ``tokens`` or ``types``.
        version: how the end of a word is marked, ``0.2`` (the default) or ``0.1``; see
            :mod:`.symbols`. With bytes there is only ``byte-1``.
        num_workers: threads for counting words; it changes nothing but the time taken.
        carriage_return: a ``\\r`` inside a line: ``error``, or ``replace`` by a space.
        progress: called now and then with the number of merges learned.
        borders: for bytes: what merging must not cross, ``none``, ``sentencepiece`` or ``character``;
            see :mod:`.borders`.

    Raises:
        ValueError: If a value cannot be used, or two cannot be combined.
    """

    num_symbols: int
    measure: Union[str, Measure] = "frequency"
    unit: str = choice("char", UNITS)
    min_frequency: int = 2
    dict_input: bool = False
    total_symbols: bool = False
    tie_break: str = choice("greatest", TIE_BREAKS)
    dlg_counts: str = choice("tokens", DLG_COUNTS)
    version: Optional[str] = None
    num_workers: int = 1
    carriage_return: str = "error"
    progress: Optional[Callable[[int], Any]] = None
    borders: str = choice("none", BORDERS)

    def __post_init__(self) -> None:
        check_choices(self)
        whole_number("the number of symbols", self.num_symbols)
        whole_number("the minimal frequency", self.min_frequency, -LARGEST_COUNT)
        if self.version is not None and unit_of(self.version) != self.unit:
            raise ValueError(
                f"version {self.version} goes with unit {unit_of(self.version)}, not with {self.unit}"
            )
        if self.borders != "none" and self.unit != "byte":
            raise ValueError(
                f"borders {self.borders!r} apply to bytes: use unit 'byte', or borders 'none'"
            )
        if self.total_symbols and self.unit == "byte" and self.num_symbols < len(BYTE_SYMBOLS):
            raise ValueError(
                f"{self.num_symbols} symbols in all are fewer than the {len(BYTE_SYMBOLS)} bytes, which "
                "are always among them: ask for at least as many"
            )

    @property
    def marker_version(self) -> str:
        """The version, whether it was given or not."""
        return self.version or (BYTE_VERSION if self.unit == "byte" else "0.2")
