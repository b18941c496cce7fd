"""Formats the scores of several systems as a table: one row per measure, one column per system."""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence

from fairseq_subword_ext.evaluation.score_record import (
    ScoreRecord,
    SignificanceRecord,
    SystemRecord,
    shown_digits,
)
from fairseq_subword_ext.evaluation.word_f1 import ALL, OOV, RARE, RARE_OR_OOV
from fairseq_subword_ext.textio.tables import markdown_lines, text_lines, tsv_lines

_KINDS = {
    ALL: "all words",
    RARE: "rare words",
    RARE_OR_OOV: "rare or OOV words",
    OOV: "OOV words",
}

Row = List[str]

MISSING = "-"


def formatted(record: ScoreRecord, how: str, transposed: bool = False) -> str:
    """The record as text, ending in a newline.

    Args:
        record: scores of one or more systems.
        how: one of :data:`~fairseq_subword_ext.textio.tables.FORMATS`.
        transposed: one row per system; does not affect JSON.
    """
    if how == "json":
        return record.to_json()
    rows = table_rows(record)
    signatures = signature_lines(record)
    if how == "tsv":  # signatures go into a cell of their row, so that every line is a row
        rows = [
            [*row, "; ".join(signatures.get(row[0], [])) if number else "signature"]
            for number, row in enumerate(rows)
        ]
    if transposed:
        rows = [list(column) for column in zip(*rows)]
    if how == "tsv":
        lines = tsv_lines(rows)
    elif how == "markdown":
        lines = [*markdown_lines(rows), *_listed(signatures, "- {}: `{}`")]
    else:
        lines = [*text_lines(rows), *_listed(signatures, "{}: {}")]
    return "".join(f"{line}\n" for line in lines)


def _listed(signatures: Mapping[str, List[str]], form: str) -> List[str]:
    """An empty line and one line per signature; nothing if there are none."""
    lines = [form.format(metric, text) for metric, texts in signatures.items() for text in texts]
    return ["", *lines] if lines else []


def table_rows(record: ScoreRecord) -> List[Row]:
    """The header, and one row per measure that any of the systems has."""
    systems = record.systems
    header = ["", *(system.name for system in systems)]
    scores = [
        [
            metric,
            *(_number(system.scores.get(metric), shown_digits(metric)) for system in systems),
        ]
        for metric in _names(system.scores for system in systems)
    ]
    return [
        header,
        *scores,
        *_significance_rows(record),
        *_word_rows(systems),
        *_copy_rows(systems),
        *_length_rows(systems),
    ]


def _significance_rows(record: ScoreRecord) -> List[Row]:
    """One row per test and metric: the p-value with its mark, or a note that this is the baseline."""
    tests = {(t.test, t.metric, t.system, t.baseline): t for t in record.significance}
    rows = []
    for test, metric in dict.fromkeys((t.test, t.metric) for t in record.significance):
        cells = []
        for system in record.systems:
            found = [t for key, t in tests.items() if key[:3] == (test, metric, system.name)]
            is_baseline = any(key[:2] == (test, metric) and key[3] == system.name for key in tests)
            cells.append(_p_value(found[0]) if found else "baseline" if is_baseline else MISSING)
        rows.append([_test_label(test, metric), *cells])
    return rows


def _p_value(test: SignificanceRecord) -> str:
    shown = "<0.0001" if test.p < 0.0001 else f"{test.p:.4f}"
    return f"{shown} {test.mark}".rstrip()


def _word_rows(systems: Sequence[SystemRecord]) -> List[Row]:
    rows = []
    for kind in _names(system.words for system in systems):
        found = [system.words.get(kind) or {} for system in systems]
        for measure, label in (("f1", "F1"), ("precision", "precision"), ("recall", "recall")):
            rows.append(
                [f"{label}, {_KINDS[kind]}", *(_number(cell.get(measure)) for cell in found)]
            )
        rows.append(_counts(f"reference's {_KINDS[kind]}", found, "reference"))
    return rows


def _copy_rows(systems: Sequence[SystemRecord]) -> List[Row]:
    copies = [system.copies or {} for system in systems]
    if not any(copies):
        return []
    rows = [_counts("copied lines", copies, "lines")]
    for kind in _names(cell.get("words", {}) for cell in copies):
        found = [cell.get("words", {}).get(kind, {}) for cell in copies]
        rows += [
            [f"copied, % of {_KINDS[kind]}", *(_share(c, "copied", "system") for c in found)],
            [
                f"correct, % of copied {_KINDS[kind]}",
                *(_share(c, "correct", "copied") for c in found),
            ],
        ]
    return rows


def _length_rows(systems: Sequence[SystemRecord]) -> List[Row]:
    lengths = [system.lengths for system in systems]
    if not any(lengths):
        return []
    return [
        _counts("words", lengths, "words"),
        ["words, output / reference", *(_number(cell.get("ratio"), 3) for cell in lengths)],
        _counts("empty lines", lengths, "empty_lines"),
    ]


def _counts(label: str, cells: Sequence[Mapping[str, Any]], key: str) -> Row:
    return [label, *(str(cell.get(key, MISSING)) for cell in cells)]


def _share(cell: Mapping[str, int], part: str, whole: str) -> str:
    return _number(100 * cell[part] / cell[whole] if cell.get(whole) else None)


def signature_lines(record: ScoreRecord) -> Dict[str, List[str]]:
    """Signatures by row label: one line if all systems have the same, else one per system."""
    found: Dict[str, List[str]] = {}
    for metric in _names(system.signatures for system in record.systems):
        by_system = {
            system.name: system.signatures[metric]
            for system in record.systems
            if metric in system.signatures
        }
        if len(set(by_system.values())) == 1:
            found[metric] = [next(iter(by_system.values()))]
        else:
            found[metric] = [f"{name}: {signature}" for name, signature in by_system.items()]
    for test in record.significance:
        label = _test_label(test.test, test.metric)
        found.setdefault(label, []).append(f"{test.system} over {test.baseline}: {test.details}")
    return found


def _test_label(test: str, metric: str) -> str:
    return f"p, {test}, {metric}"


def _names(mappings: Iterable[Mapping[str, Any]]) -> List[str]:
    """The keys of all mappings, in order of first occurrence."""
    return list(dict.fromkeys(name for mapping in mappings for name in mapping))


def _number(value: Optional[float], digits: int = 2) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"
