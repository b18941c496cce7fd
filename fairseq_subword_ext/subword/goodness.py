"""The goodness measures: what makes a pair of symbols worth merging, and how to add another.

Wu & Zhao 2018 ("Finding Better Subword Segmentation for Neural Machine Translation"), section 3:
byte pair encoding merges the pair with the highest score, and the score need not be its frequency.
Each class below is one measure and one formula over the statistics of :class:`PairStatistics`. The
built-in ones run in the compiled core, which is tested against these formulas; one of your own is a
class with ``score`` and ``reads``, registered by a name::

    @register_measure("pmi")
    class PointwiseMutualInformation(Measure):
        reads = frozenset({"occ", "c", "n"})

        def score(self, stats):
            return np.log(stats.occ * stats.n / (stats.c_a * stats.c_b))
"""

import importlib.util
import os
import sys
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Dict, FrozenSet, List, Type, Union

# Learning with a built-in measure does without numpy, and so without the time its import takes.
if TYPE_CHECKING:
    import numpy as np

STATISTICS = frozenset({"occ", "types", "wf", "L", "R", "c", "n", "m"})

# Description length gains are compared in units of 2^-8 bit.
DLG_UNIT_BITS = 8


@dataclass
class PairStatistics:
    """Statistics of many pairs p = (a, b) at one moment, an array each, all of one length.

    The arrays hold float64, exact up to 2^53, for measures that are registered by a user, and Python
    integers for the built-in ones. What a measure does not list in ``reads`` may be missing (None).

    Attributes:
        occ: occurrences of p over all word types, each weighted by its frequency f(w).
        types: number of word types whose present segmentation holds p.
        wf: the sum of f(w) over those types, each counted once.
        L, R: numbers of distinct symbols right before and right after p over all types; the word's
            boundary counts as one symbol.
        c_a, c_b: counts of the two symbols in the corpus, weighted by f(w) (``reads`` calls both
            ``c``).
        n: the count of all symbols; one number.
        m: non-overlapping replacements that merging p makes, weighted by f(w).
        same: whether a = b.
    """

    occ: Any = None
    types: Any = None
    wf: Any = None
    L: Any = None
    R: Any = None
    c_a: Any = None
    c_b: Any = None
    n: Any = None
    m: Any = None
    same: Any = None


class Measure:
    """A goodness measure.

    Attributes:
        name: set by :func:`register_measure`.
        reads: the statistics that ``score`` uses, out of :data:`STATISTICS`. Pairs are scored
            again only when one of these has changed, so none may be left out.
        falls_with_n: for a measure that reads ``n``: whether a score never rises when n falls and
            all else stays. Then stored scores serve as bounds; without it every merge scores all
            pairs again, which is slow.
        native: whether the compiled core computes it.
    """

    name: ClassVar[str] = ""
    reads: ClassVar[FrozenSet[str]] = frozenset()
    falls_with_n: ClassVar[bool] = False
    native: ClassVar[bool] = False

    def score(self, stats: PairStatistics) -> "np.ndarray":
        """Scores many pairs at once; the highest is merged.

        Args:
            stats: arrays of length k, at least one.

        Returns:
            k numbers, none of them NaN.
        """
        raise NotImplementedError

    def score_batch(self, arrays: Dict[str, Any]) -> "np.ndarray":
        """What the core calls: the same with checks that tell a mistake in a user's measure."""
        import numpy as np

        stats = PairStatistics(**arrays)
        scores = np.asarray(self.score(stats), dtype=np.float64)
        if scores.shape != np.shape(stats.occ):
            raise ValueError(
                f"the measure {self.name!r} returned an array of shape {scores.shape} for "
                f"{len(stats.occ)} pairs; it has to return one score a pair"
            )
        if np.isnan(scores).any():
            raise ValueError(f"the measure {self.name!r} returned NaN, which cannot be compared")
        return scores


_MEASURES: Dict[str, Type[Measure]] = {}


def register_measure(name: str) -> Callable[[Type[Measure]], Type[Measure]]:
    """Registers a :class:`Measure` under the name that ``--measure`` takes.

    Raises:
        ValueError: If the name is taken by another class, or ``reads`` names no statistic.
    """

    def register(cls: Type[Measure]) -> Type[Measure]:
        known = _MEASURES.get(name)
        # The same module may be loaded again, from a notebook for example.
        if known is not None and (known.native or known.__qualname__ != cls.__qualname__):
            raise ValueError(f"a measure is called {name!r} already: {known.__qualname__}")
        unknown = sorted(frozenset(cls.reads) - STATISTICS)
        if unknown or not cls.reads:
            raise ValueError(
                f"the measure {name!r} reads {unknown or 'nothing'}; there are "
                f"{', '.join(sorted(STATISTICS))}"
            )
        cls.name = name
        _MEASURES[name] = cls
        return cls

    return register


def measure_names() -> List[str]:
    """The registered names, the built-in ones first."""
    return list(_MEASURES)


def get_measure(measure: Union[str, Measure]) -> Measure:
    """The measure of a name; a :class:`Measure` is returned as it is.

    Raises:
        ValueError: If nothing is registered under the name.
    """
    if isinstance(measure, Measure):
        return measure
    if measure not in _MEASURES:
        raise ValueError(f"measure {measure!r} is none of {', '.join(_MEASURES)}")
    return _MEASURES[measure]()


def load_measure_module(path: Union[str, "os.PathLike[str]"]) -> None:
    """Runs a Python file that registers measures (``--measure-module``).

    Raises:
        OSError: If the file cannot be read.
    """
    name = f"_measures_{abs(hash(Path(path).resolve()))}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path}: a measure module has to be a Python file (.py)")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


@register_measure("frequency")
class Frequency(Measure):
    """occ(p): the pair's frequency. Sennrich, Haddow & Birch 2016, section 3.2."""

    reads = frozenset({"occ"})
    native = True

    def score(self, stats: PairStatistics) -> "np.ndarray":
        return stats.occ


@register_measure("frq")
class TypeFrequency(Measure):
    """FRQ(p) = types(p): the number of word types that hold it. Wu & Zhao 2018, section 3.2."""

    reads = frozenset({"types"})
    native = True

    def score(self, stats: PairStatistics) -> "np.ndarray":
        return stats.types


@register_measure("av")
class AccessorVariety(Measure):
    """AV(p) = min(L(p), R(p)): how many contexts it has. Feng et al. 2004; Wu & Zhao 2018, 3.2."""

    reads = frozenset({"L", "R"})
    native = True

    def score(self, stats: PairStatistics) -> "np.ndarray":
        import numpy as np

        return np.minimum(stats.L, stats.R)


@register_measure("dlg")
class DescriptionLengthGain(Measure):
    """DLG(p) = DL(X) - DL(X[r -> s] (+) s). Kit & Wilks 1999; Wu & Zhao 2018, section 3.2.

    With DL(X) = n log2 n - sum over x of c(x) log2 c(x). Merging p and appending s after a delimiter
    leaves n' = n - m + 3 symbols; c'(a) = c(a) - m + 1 and c'(b) = c(b) - m + 1, or c'(a) =
    c(a) - 2m + 2 where a = b; the new symbol m times and the delimiter once. The score is the
    integer nearest to 2^8 times the bits, so that rounding decides no tie.
    """

    reads = frozenset({"c", "n", "m"})
    native = True

    def score(self, stats: PairStatistics) -> "np.ndarray":
        import numpy as np

        rows = zip(stats.c_a, stats.c_b, stats.m, stats.same)
        gains = [_description_length_gain(int(stats.n), *map(int, row)) for row in rows]
        return np.array(gains, dtype=object)


@register_measure("frq-weighted")
class WeightedTypeFrequency(TypeFrequency):
    """FRQ'(p) = FRQ(p) wf(p). Wu & Zhao 2018, section 3.2 (frequency-weighted forms).

    The paper says that it differs slightly from BPE. By this formula it shares 61 % of its first 4,000
    merges with ``frequency`` on the German and English of Multi30k; wf(p) alone shares all of them.
    """

    reads = TypeFrequency.reads | {"wf"}

    def score(self, stats: PairStatistics) -> "np.ndarray":
        return super().score(stats) * stats.wf


@register_measure("av-weighted")
class WeightedAccessorVariety(AccessorVariety):
    """AV'(p) = AV(p) wf(p). Wu & Zhao 2018, section 3.2 (frequency-weighted forms)."""

    reads = AccessorVariety.reads | {"wf"}

    def score(self, stats: PairStatistics) -> "np.ndarray":
        return super().score(stats) * stats.wf


@register_measure("dlg-weighted")
class WeightedDescriptionLengthGain(DescriptionLengthGain):
    """DLG'(p) = DLG(p) wf(p). Wu & Zhao 2018, section 3.2 (frequency-weighted forms)."""

    reads = DescriptionLengthGain.reads | {"wf"}

    def score(self, stats: PairStatistics) -> "np.ndarray":
        return super().score(stats) * stats.wf


@register_measure("dlg-average")
class AverageDescriptionLengthGain(DescriptionLengthGain):
    """DLG(p) / m(p): the gain per replacement, compared exactly as a fraction.

    A possible reading of the DLG row in Table 1 of Wu & Zhao 2018, whose BLEU is far below that of the
    other measures: plain ``dlg`` segments much like ``frequency``, the average the most finely of all.
    It is inferred, not stated in the paper, and no training has confirmed it.
    """

    def score(self, stats: PairStatistics) -> "np.ndarray":
        import numpy as np

        gains = super().score(stats)
        return np.array([Fraction(*map(int, row)) for row in zip(gains, stats.m)], dtype=object)


@lru_cache(maxsize=1 << 16)
def _x_log2_x(x: int) -> Decimal:
    """x log2 x with far more digits than any rounding to 1/256 bit can need."""
    with localcontext() as context:
        context.prec = 60
        return x * Decimal(x).ln() / Decimal(2).ln() if x > 1 else Decimal(0)


def _description_length_gain(n: int, c_a: int, c_b: int, m: int, same: int) -> int:
    before = [(c_a, c_a - 2 * m + 2)] if same else [(c_a, c_a - m + 1), (c_b, c_b - m + 1)]
    with localcontext() as context:
        context.prec = 60
        bits = _x_log2_x(n) - _x_log2_x(n - m + 3) + _x_log2_x(m)
        for old, new in before:
            bits += _x_log2_x(new) - _x_log2_x(old)
        return int((bits * 2**DLG_UNIT_BITS).to_integral_value())
