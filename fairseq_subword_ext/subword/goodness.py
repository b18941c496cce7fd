"""The goodness measures: what makes a pair of symbols worth merging, and how to add a measure.

Wu & Zhao 2018 ("Finding Better Subword Segmentation for Neural Machine Translation"), section 3:
byte pair encoding merges the pair with the highest score, and the score need not be its frequency.
Each class below is one measure: a formula over the statistics of :class:`PairStatistics`. The built-in
measures run in the compiled core, which is tested against these formulas. Your own measure is a class
with ``score`` and ``reads``, registered under a name::

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
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Dict, FrozenSet, List, Type, Union

# Learning with a built-in measure does not need numpy, which takes time to import.
if TYPE_CHECKING:
    import numpy as np

STATISTICS = frozenset({"occ", "types", "wf", "L", "R", "c", "n", "m"})

# Description length gains are compared in units of 2^-8 bit.
DLG_UNIT_BITS = 8


@dataclass
class PairStatistics:
    """Statistics of many pairs p = (a, b) before one merge, as arrays of equal length.

    The arrays are float64, exact up to 2^53, for measures registered by a user, and Python integers for
    the built-in ones. Statistics that a measure does not list in ``reads`` may be missing (None).

    Attributes:
        occ: occurrences of p over all word types, each weighted by its frequency f(w).
        types: number of word types whose current segmentation contains p.
        wf: the sum of f(w) over those types, each counted once.
        L, R: numbers of distinct symbols immediately before and after p over all types; the word
            boundary counts as one symbol.
        c_a, c_b: counts of the two symbols in the corpus, weighted by f(w) (``reads`` calls both
            ``c``).
        n: the count of all symbols; one number.
        m: number of non-overlapping replacements when p is merged, weighted by f(w).
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
        reads: the statistics that ``score`` uses, out of :data:`STATISTICS`. Pairs are rescored only
            when one of these has changed, so list all of them.
        falls_with_n: for a measure that reads ``n``: whether a score never rises when only n falls.
            If so, stored scores serve as upper bounds; otherwise every merge rescores all pairs, which
            is slow.
        native: whether the compiled core computes it.
    """

    name: ClassVar[str] = ""
    reads: ClassVar[FrozenSet[str]] = frozenset()
    falls_with_n: ClassVar[bool] = False
    native: ClassVar[bool] = False

    def score(self, stats: PairStatistics) -> "np.ndarray":
        """Scores many pairs at once; the pair with the highest score is merged.

        Args:
            stats: arrays of length k, at least one.

        Returns:
            k numbers, none of them NaN.
        """
        raise NotImplementedError

    def score_batch(self, arrays: Dict[str, Any]) -> "np.ndarray":
        """Calls :meth:`score` for the core and checks the result of a user's measure.

        Raises:
            ValueError: If there is not one score per pair, or a score is NaN.
        """
        import numpy as np

        stats = PairStatistics(**arrays)
        scores = np.asarray(self.score(stats), dtype=np.float64)
        if scores.shape != np.shape(stats.occ):
            raise ValueError(
                f"the measure {self.name!r} returned an array of shape {scores.shape} for "
                f"{len(stats.occ)} pairs; it must return one score per pair"
            )
        if np.isnan(scores).any():
            raise ValueError(f"the measure {self.name!r} returned NaN, which cannot be compared")
        return scores


_MEASURES: Dict[str, Type[Measure]] = {}


def register_measure(name: str) -> Callable[[Type[Measure]], Type[Measure]]:
    """Registers a :class:`Measure` under a name for ``--measure``.

    Raises:
        ValueError: If another class has the name, or ``reads`` is empty or names an unknown statistic.
    """

    def register(cls: Type[Measure]) -> Type[Measure]:
        known = _MEASURES.get(name)
        # The same module may be loaded again, for example in a notebook.
        if known is not None and (known.native or known.__qualname__ != cls.__qualname__):
            raise ValueError(f"a measure named {name!r} exists already: {known.__qualname__}")
        unknown = sorted(frozenset(cls.reads) - STATISTICS)
        if unknown or not cls.reads:
            raise ValueError(
                f"the measure {name!r} reads {unknown or 'nothing'}; the statistics are "
                f"{', '.join(sorted(STATISTICS))}"
            )
        cls.name = name
        _MEASURES[name] = cls
        return cls

    return register


def measure_names() -> List[str]:
    """Returns the registered names, built-in measures first."""
    return list(_MEASURES)


def get_measure(measure: Union[str, Measure]) -> Measure:
    """Returns the measure with a name; a :class:`Measure` is returned as is.

    Raises:
        ValueError: If no measure has the name.
    """
    if isinstance(measure, Measure):
        return measure
    if measure not in _MEASURES:
        raise ValueError(f"measure must be one of {', '.join(_MEASURES)}, not {measure!r}")
    return _MEASURES[measure]()


def load_measure_module(path: Union[str, "os.PathLike[str]"]) -> None:
    """Runs a Python file that registers measures (``--measure-module``).

    Raises:
        OSError: If the file cannot be read.
    """
    name = f"_measures_{abs(hash(Path(path).resolve()))}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path}: a measure module must be a Python file (.py)")
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
    """FRQ(p) = types(p): the number of word types that contain p. Wu & Zhao 2018, section 3.2."""

    reads = frozenset({"types"})
    native = True

    def score(self, stats: PairStatistics) -> "np.ndarray":
        return stats.types


@register_measure("av")
class AccessorVariety(Measure):
    """AV(p) = min(L(p), R(p)): in how many contexts p occurs. Feng et al. 2004; Wu & Zhao 2018, 3.2."""

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
    c(a) - 2m + 2 if a = b; the new symbol m times and the delimiter once. The score is the integer
    nearest to 2^8 times the bits, so that rounding decides no tie.
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

    The paper says that it differs slightly from BPE. With this formula, 61 % of its first 4,000 merges on
    Multi30k's German and English are also made by ``frequency``; with wf(p) alone, all of them are.
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

    This is a possible reading of the DLG row in Table 1 of Wu & Zhao 2018, whose BLEU is far below that of
    the other measures: plain ``dlg`` segments much like ``frequency``, while the average segments most
    finely of all. The paper does not state it, and no training run has confirmed it.
    """

    def score(self, stats: PairStatistics) -> "np.ndarray":
        import numpy as np

        gains = super().score(stats)
        from fractions import Fraction  # slow to import

        return np.array([Fraction(*map(int, row)) for row in zip(gains, stats.m)], dtype=object)


@lru_cache(maxsize=1 << 16)
def _x_log2_x(x: int) -> Decimal:
    """x log2 x, with far more digits than rounding to 1/256 bit needs."""
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
