"""The table of several systems' scores: a row a measure, a column a system."""

import io
import math
from typing import Dict, List, Optional

from fairseq_subword_ext.evaluation.score_record import ScoreRecord, SystemRecord

FORMATS = ("text", "tsv", "markdown", "json")

Row = List[str]

MISSING = "-"


def formatted(record: ScoreRecord, how: str) -> str:
    """The record as text, ending in a newline.

    Args:
        record: scores of one system or more.
        how: one of :data:`FORMATS`.
    """
    if how == "json":
        return record.to_json()
    rows = table_rows(record)
    signatures = signature_rows(record)
    if how == "tsv":
        return _tsv(rows, signatures)
    if how == "markdown":
        return _markdown(rows, signatures)
    return _text(rows, signatures)


def table_rows(record: ScoreRecord) -> List[Row]:
    """The header and a row for each measure that any of the systems has."""
    systems = record.systems
    rows = [["", *(system.name for system in systems)]]
    for metric in _names(system.scores for system in systems):
        rows.append([metric, *(_score_cell(record, system, metric) for system in systems)])
    return rows


def signature_rows(record: ScoreRecord) -> Dict[str, List[str]]:
    """Signatures by metric: one where the systems agree, else one each, with the system's name."""
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
    return found


def _names(mappings) -> List[str]:
    """The keys of all mappings, in order of first occurrence."""
    return list(dict.fromkeys(name for mapping in mappings for name in mapping))


def _score_cell(record: ScoreRecord, system: SystemRecord, metric: str) -> str:
    value = _number(system.scores.get(metric))
    marks = [
        test.mark
        for test in record.significance
        if test.system == system.name and test.metric == metric and test.mark
    ]
    return f"{value} {' '.join(marks)}".rstrip()


def _number(value: Optional[float], digits: int = 2) -> str:
    return MISSING if value is None or math.isnan(value) else f"{value:.{digits}f}"


def _text(rows: List[Row], signatures: Dict[str, List[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    out = io.StringIO()
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        out.write("  ".join(cells).rstrip() + "\n")
    if signatures:
        out.write("\n")
    for metric, lines in signatures.items():
        out.writelines(f"{metric}: {line}\n" for line in lines)
    return out.getvalue()


def _tsv(rows: List[Row], signatures: Dict[str, List[str]]) -> str:
    """Signatures are a last column, so that every line stays a row."""
    lines = [[*rows[0], "signature"]]
    lines += [[*row, "; ".join(signatures.get(row[0], []))] for row in rows[1:]]
    return "".join("\t".join(cell.replace("\t", " ") for cell in row) + "\n" for row in lines)


def _markdown(rows: List[Row], signatures: Dict[str, List[str]]) -> str:
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    lines.insert(1, "|---|" + "---:|" * (len(rows[0]) - 1))
    if signatures:
        lines.append("")
    for metric, texts in signatures.items():
        lines += [f"- {metric}: `{text}`" for text in texts]
    return "\n".join(lines) + "\n"
