"""Learning a merge table: byte pair encoding under any goodness measure.

The algorithm is Algorithm 1 of Wu & Zhao 2018; under the measure ``frequency`` it is that of Sennrich,
Haddow & Birch 2016 and gives subword-nmt's merges. :mod:`.reference` has it in its readable form, the
compiled core in its fast one.
"""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from fairseq_subword_ext.core import native_core
from fairseq_subword_ext.counting.word_counts import WordCounts, count_words
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.goodness import DLG_UNIT_BITS, Measure, get_measure
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.symbols import BYTE_VERSION, UNITS, unit_of
from fairseq_subword_ext.textio.errors import LARGEST_COUNT, whole_number
from fairseq_subword_ext.textio.inputs import Input
from fairseq_subword_ext.version import __version__

logger = logging.getLogger(__name__)

TIE_BREAKS = ("greatest", "least", "first")
DLG_COUNTS = ("tokens", "types")

Inputs = Union[Input, Sequence[Input], Mapping[str, int], WordCounts]


@dataclass(frozen=True)
class MergeStep:
    """One merge with everything that decided it, at the moment when it won.

    Attributes:
        pair: the two symbols, spelled as on disk.
        occ, types, wf, L, R, c_a, c_b, n, m: as in :class:`.goodness.PairStatistics`.
        score: what the measure gave, an integer for the built-in ones (of ``dlg`` and
            ``dlg-weighted`` in bits, exact to 2^-8 times wf) and a float for others.
        symbols_after: how many symbols the corpus has after the merge, weighted by f(w).
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


def learn_bpe(
    inputs: Inputs,
    num_symbols: int,
    measure: Union[str, Measure] = "frequency",
    unit: str = "char",
    min_frequency: int = 2,
    dict_input: bool = False,
    total_symbols: bool = False,
    tie_break: str = "greatest",
    dlg_counts: str = "tokens",
    version: Optional[str] = None,
    num_workers: int = 1,
    carriage_return: str = "error",
    progress: Optional[Callable[[int], None]] = None,
) -> MergeTable:
    """Learns a merge table from text.

    Args:
        inputs: texts, as for :func:`.count_words`: paths, ``-``, binary streams, or counts.
        num_symbols: merges to learn; with ``total_symbols``, the base symbols are taken off first.
        measure: a registered name or a :class:`.goodness.Measure`.
        unit: ``char`` or ``byte``; what the base symbols are.
        min_frequency: only pairs that occur at least so often are merged.
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

    Returns:
        The table, with how it was learned in ``metadata``. It has fewer merges than asked where no
        pair is frequent enough any more; the log says so.

    Raises:
        ValueError: for text that cannot be used or holds no word, with path and line, and for an
            argument that is none of the above.
        OSError: where an input cannot be read.
        ImportError: where the compiled core has not been built.
    """
    table, _ = _learn(
        inputs, num_symbols, measure, unit, min_frequency, dict_input, total_symbols, tie_break,
        dlg_counts, version, num_workers, carriage_return, progress, trace=False,
    )  # fmt: skip
    return table


def learn_with_trace(
    inputs: Inputs,
    num_symbols: int,
    measure: Union[str, Measure] = "frequency",
    unit: str = "char",
    min_frequency: int = 2,
    dict_input: bool = False,
    total_symbols: bool = False,
    tie_break: str = "greatest",
    dlg_counts: str = "tokens",
    version: Optional[str] = None,
    num_workers: int = 1,
    carriage_return: str = "error",
    progress: Optional[Callable[[int], None]] = None,
) -> Tuple[MergeTable, List[MergeStep]]:
    """Does what :func:`learn_bpe` does, and keeps why each merge won."""
    return _learn(
        inputs, num_symbols, measure, unit, min_frequency, dict_input, total_symbols, tie_break,
        dlg_counts, version, num_workers, carriage_return, progress, trace=True,
    )  # fmt: skip


def _learn(
    inputs: Inputs,
    num_symbols: int,
    measure: Union[str, Measure],
    unit: str,
    min_frequency: int,
    dict_input: bool,
    total_symbols: bool,
    tie_break: str,
    dlg_counts: str,
    version: Optional[str],
    num_workers: int,
    carriage_return: str,
    progress: Optional[Callable[[int], None]],
    trace: bool,
) -> Tuple[MergeTable, List[MergeStep]]:
    measure = get_measure(measure)
    version = _check_arguments(num_symbols, unit, min_frequency, tie_break, dlg_counts, version)
    if total_symbols and unit == "byte" and num_symbols < len(BYTE_SYMBOLS):
        raise ValueError(
            f"{num_symbols} symbols in all are fewer than the {len(BYTE_SYMBOLS)} bytes, which are "
            "always among them: ask for at least as many"
        )
    core = native_core()
    counts = count_words(inputs, dict_input, num_workers, carriage_return)
    try:
        learner = core.Learner(counts._counter, version)
    except ValueError as error:
        raise ValueError(f"{counts.name}: {error}") from None
    alphabet = learner.alphabet()
    asked = num_symbols - len(alphabet) if total_symbols else num_symbols
    if asked < 0:
        raise ValueError(
            f"{num_symbols} symbols in all are fewer than the {len(alphabet)} base symbols of the text, "
            "which are always among them: ask for more"
        )
    learner.learn(
        measure.name if measure.native else measure,
        asked,
        min_frequency,
        tie_break,
        dlg_counts == "types",
        trace,
        progress,
    )
    merges = learner.merges()
    if len(merges) < asked:
        logger.info(
            "learned %d merges of the %d asked for: no other pair occurs %d times or more (this is "
            "normal on little text)",
            len(merges),
            asked,
            min_frequency,
        )
    metadata: Dict[str, Any] = {
        "package_version": __version__,
        "measure": measure.name,
        "tie_break": tie_break,
        "min_frequency": min_frequency,
        "merges_asked": asked,
        "total_symbols": num_symbols if total_symbols else None,
        "corpus": ", ".join(Path(name).name for name in counts.names),
        "corpus_sha256": counts.sha256,
        "word_types": counts.facts["types"],
        "word_tokens": counts.facts["tokens"],
        "alphabet": alphabet,
    }
    if measure.name.startswith("dlg"):
        metadata["dlg_counts"] = dlg_counts
    metadata = {key: value for key, value in metadata.items() if value is not None}
    table = MergeTable(merges, unit, version, metadata)
    return table, _steps(merges, learner.trace(), measure) if trace else []


def _check_arguments(
    num_symbols: int,
    unit: str,
    min_frequency: int,
    tie_break: str,
    dlg_counts: str,
    version: Optional[str],
) -> str:
    """Checks what can be checked before the text is read; returns the version."""
    if unit not in UNITS:
        raise ValueError(f"unit {unit!r} is none of {', '.join(UNITS)}")
    if tie_break not in TIE_BREAKS:
        raise ValueError(f"tie_break {tie_break!r} is none of {', '.join(TIE_BREAKS)}")
    if dlg_counts not in DLG_COUNTS:
        raise ValueError(f"dlg_counts {dlg_counts!r} is none of {', '.join(DLG_COUNTS)}")
    whole_number("the number of symbols", num_symbols)
    whole_number("the minimal frequency", min_frequency, -LARGEST_COUNT)
    if version is None:
        return BYTE_VERSION if unit == "byte" else "0.2"
    if unit_of(version) != unit:
        raise ValueError(f"version {version} goes with unit {unit_of(version)}, not with {unit}")
    return version


def _steps(
    merges: List[Tuple[str, str]], trace: List[Dict[str, Any]], measure: Measure
) -> List[MergeStep]:
    steps = []
    for pair, facts in zip(merges, trace):
        score, custom = facts.pop("score"), facts.pop("custom_score")
        if not measure.native:
            score = custom
        elif measure.name.startswith("dlg"):
            score = score / 2**DLG_UNIT_BITS
        steps.append(MergeStep(pair=pair, score=score, **facts))
    return steps
