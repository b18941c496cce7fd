"""The options of learning a merge table."""

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
        num_symbols: number of merges to learn; with ``total_symbols``, base symbols included.
        measure: a registered name or a :class:`.goodness.Measure`.
        unit: the base symbols, ``char`` or ``byte``.
        min_frequency: only pairs that occur at least this often are merged.
        dict_input: whether the inputs are ``word count`` lines.
        total_symbols: whether ``num_symbols`` includes the base symbols: the distinct characters of the
            text, counted once at the end of words and once elsewhere (as in subword-nmt), or the 256
            bytes.
        tie_break: which of several best pairs is merged: the lexicographically ``greatest`` (as in
            subword-nmt) or ``least``, or the ``first``: the leftmost in the current segmentation, with
            word types in order of first occurrence.
        dlg_counts: for the dlg measures: whether c, n and m count word ``tokens`` or ``types``.
        version: how the end of a word is marked, ``0.2`` (the default) or ``0.1``; see
            :mod:`.symbols`. For bytes, always ``byte-1``.
        num_workers: threads for counting words; their number does not change the result.
        carriage_return: what to do with a ``\\r`` inside a line: raise an ``error``, or ``replace`` it with
            a space.
        progress: called regularly with the number of merges learned.
        borders: for bytes: what merges must not cross, ``none``, ``sentencepiece`` or ``character``;
            see :mod:`.borders`.

    Raises:
        ValueError: If a value is invalid, or two options cannot be combined.
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
                f"version {self.version} needs unit {unit_of(self.version)!r}, not {self.unit!r}"
            )
        if self.borders != "none" and self.unit != "byte":
            raise ValueError(
                f"borders {self.borders!r} apply to bytes: use unit 'byte', or borders 'none'"
            )
        if self.total_symbols and self.unit == "byte" and self.num_symbols < len(BYTE_SYMBOLS):
            raise ValueError(
                f"{self.num_symbols} symbols in total are fewer than the {len(BYTE_SYMBOLS)} bytes, which "
                "are always included: ask for at least as many"
            )

    @property
    def marker_version(self) -> str:
        """The version, or the unit's default if none was given."""
        return self.version or (BYTE_VERSION if self.unit == "byte" else "0.2")
