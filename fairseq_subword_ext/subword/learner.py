"""Learns a merge table: byte pair encoding with any goodness measure.

This is Algorithm 1 of Wu & Zhao 2018; with the measure ``frequency`` it is the algorithm of Sennrich,
Haddow & Birch 2016 and gives subword-nmt's merges. :mod:`.reference` has the reference implementation, the
compiled core the fast one.
"""

import logging
import operator
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.counting.word_counts import WordCounts, count_words
from fairseq_subword_ext.subword.goodness import DLG_UNIT_BITS, Measure, get_measure
from fairseq_subword_ext.subword.learn_options import LearnOptions
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.textio.inputs import Input
from fairseq_subword_ext.version import __version__

logger = logging.getLogger(__name__)

Inputs = Union[Input, Sequence[Input], Mapping[str, int], WordCounts]


@dataclass(frozen=True)
class MergeStep:
    """One merge with the statistics that decided it, as they were before the merge.

    Attributes:
        pair: the two symbols, spelled as on disk.
        occ, types, wf, L, R, c_a, c_b, n, m: as in :class:`.goodness.PairStatistics`.
        score: the measure's score: an integer for the built-in measures (for the ``dlg`` measures a
            float in bits, exact to 2^-8 times wf), a float for others.
        symbols_after: number of symbols in the corpus after the merge, weighted by f(w).
    """

    pair: Tuple[str, str]
    occ: int
    types: int
    wf: int
    L: int
    R: int
    c_a: int
    c_b: int
    n: int
    m: int
    score: Union[int, float]
    symbols_after: int


@dataclass(frozen=True)
class MergeStatistics:
    """How often each merge was applied: what any prefix of a merge table does to the training text.

    All counts are weighted by word frequency. The end-of-word marker of version 0.1 is a symbol; a byte
    alphabet has all 256 bytes, some with count 0.

    Attributes:
        merges: the pairs, spelled as on disk.
        alphabet: every base symbol with its count in the text.
        replacements: m(p) of each merge: by how many symbols it shortened the text.
    """

    merges: List[Tuple[str, str]]
    alphabet: Dict[str, int]
    replacements: List[int]

    def token_counts(self) -> List[int]:
        """Returns the number of symbols in the text after 0, 1, ... all merges."""
        total = sum(self.alphabet.values())
        return list(accumulate(self.replacements, operator.sub, initial=total))

    def symbol_counts(self, merges: int) -> Dict[str, int]:
        """Returns the count of every symbol after the first ``merges`` merges, base symbols first.

        Raises:
            ValueError: If the table has fewer merges.
        """
        if not 0 <= merges <= len(self.merges):
            raise ValueError(f"merges must be from 0 to {len(self.merges)}, not {merges}")
        counts = Counter(self.alphabet)
        for (left, right), made in zip(self.merges[:merges], self.replacements):
            counts[left] -= made
            counts[right] -= made
            counts[left + right] += made
        return dict(counts)


def learn_bpe(inputs: Inputs, *arguments: Any, **options: Any) -> MergeTable:
    """Learns a merge table from text.

    Args:
        inputs: texts, as for :func:`.word_counts.count_words`: paths, ``-``, binary streams, or counts.
        arguments, options: the fields of :class:`.LearnOptions`; ``num_symbols`` is the first.

    Returns:
        The table; its ``metadata`` records how it was learned. It has fewer merges than requested, with a
        log message, if no remaining pair is frequent enough.

    Raises:
        ValueError: If text cannot be used (names path and line) or contains no words, or an option is
            invalid.
        OSError: If an input cannot be read.
        ImportError: If the compiled core has not been built.
    """
    return _learn(inputs, LearnOptions(*arguments, **options))[0]


def learn_with_statistics(
    inputs: Inputs, *arguments: Any, **options: Any
) -> Tuple[MergeTable, MergeStatistics]:
    """Like :func:`learn_bpe`, but also returns how often each merge was applied, at no extra cost."""
    table, learner = _learn(inputs, LearnOptions(*arguments, **options))
    return table, MergeStatistics(table.merges, table.metadata["alphabet"], learner.replacements())


def learn_with_trace(
    inputs: Inputs, *arguments: Any, **options: Any
) -> Tuple[MergeTable, List[MergeStep]]:
    """Like :func:`learn_bpe`, but also returns the statistics that decided each merge."""
    chosen = LearnOptions(*arguments, **options)
    table, learner = _learn(inputs, chosen, trace=True)
    return table, _steps(table.merges, learner.trace(), get_measure(chosen.measure))


def _learn(inputs: Inputs, options: LearnOptions, trace: bool = False) -> Tuple[MergeTable, Any]:
    """Learns; returns the table and the core's learner, which holds the trace and the statistics."""
    measure = get_measure(options.measure)
    core = native_core()
    counts = count_words(inputs, options.dict_input, options.num_workers, options.carriage_return)
    try:
        # Counts that the caller does not share are freed before learning.
        learner = core.Learner(counts._counter, options.marker_version, counts is not inputs)
    except ValueError as error:
        raise ValueError(f"{counts.name}: {error}") from None
    alphabet = learner.alphabet()
    asked = options.num_symbols - (len(alphabet) if options.total_symbols else 0)
    if asked < 0:
        raise ValueError(
            f"{options.num_symbols} symbols in total are fewer than the {len(alphabet)} base symbols of "
            "the text, which are always included: ask for more"
        )
    learner.learn(
        measure.name if measure.native else measure,
        asked,
        options.min_frequency,
        options.tie_break,
        options.dlg_counts == "types",
        options.borders,
        trace,
        options.progress,
    )
    merges = learner.merges()
    if len(merges) < asked:
        logger.info(
            "learned %d of the %d merges requested: no other pair occurs %d times or more (this is "
            "normal for small texts)",
            len(merges),
            asked,
            options.min_frequency,
        )
    metadata: Dict[str, Any] = {
        "package_version": __version__,
        "measure": measure.name,
        "tie_break": options.tie_break,
        "min_frequency": options.min_frequency,
        "merges_asked": asked,
        "total_symbols": options.num_symbols if options.total_symbols else None,
        "corpus": ", ".join(Path(name).name for name in counts.names),
        "corpus_sha256": counts.sha256,
        "word_types": counts.totals["types"],
        "word_tokens": counts.totals["tokens"],
        "alphabet": alphabet,
    }
    if measure.name.startswith("dlg"):
        metadata["dlg_counts"] = options.dlg_counts
    if options.unit == "byte":
        metadata["borders"] = options.borders
    metadata = {key: value for key, value in metadata.items() if value is not None}
    return MergeTable(merges, options.unit, options.marker_version, metadata), learner


def _steps(
    merges: List[Tuple[str, str]], trace: List[Dict[str, Any]], measure: Measure
) -> List[MergeStep]:
    steps = []
    for pair, statistics in zip(merges, trace):
        score, custom = statistics.pop("score"), statistics.pop("custom_score")
        if not measure.native:
            score = custom
        elif measure.name == "dlg-average":
            score = score / (2**DLG_UNIT_BITS * statistics["m"])
        elif measure.name.startswith("dlg"):
            score = score / 2**DLG_UNIT_BITS
        steps.append(MergeStep(pair=pair, score=score, **statistics))
    return steps
