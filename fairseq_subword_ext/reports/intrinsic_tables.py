"""Tables of measures that need no model: how evenly tokens are used, and the cost per language."""

from typing import List, Optional, Sequence

from fairseq_subword_ext.reports.intrinsic import ALPHA, PERCENTILES
from fairseq_subword_ext.reports.report import Report
from fairseq_subword_ext.reports.table_parts import (
    ALL_LANGUAGES,
    LANGUAGE,
    SEGMENTATION,
    by_language,
)
from fairseq_subword_ext.textio.tables import Column, Table, Value

GINI = "Gini coefficient"


def evenness_table(report: Report) -> Table:
    """Rényi entropy and efficiency, and percentile frequency: Zouhar et al. 2023."""
    columns = [
        SEGMENTATION,
        Column("Rényi entropy", 3),
        Column("Rényi efficiency", 4),
        Column("Percentile frequency", 4),
    ]
    table = by_language(
        report, "evenness", "How evenly tokens are used (Zouhar et al. 2023)", columns,
        lambda text: text.evenness,
    )  # fmt: skip
    if len(report.languages) > 1:
        table.rows += [[ALL_LANGUAGES, name, *report.evenness[name]] for name in report.names]
    start, end = (f"{100 * share:.0f} %" for share in PERCENTILES)
    table.notes.append(
        f"Rényi entropy of order {ALPHA}, in bits; efficiency: entropy divided by log2 of the number of "
        f"types in the text. Percentile frequency: share of tokens whose types lie between {start} and "
        f"{end} of the types, most frequent first."
    )
    return table


def languages_table(report: Report) -> Optional[Table]:
    """Tokens relative to one language (Petrov et al. 2023), and the Gini coefficient."""
    if len(report.languages) < 2:
        return None
    columns = [LANGUAGE, *(Column(name, 3) for name in report.names)]
    rows: List[Sequence[Value]] = []
    if report.base_language is not None:
        rows = [
            [language, *(report.relative_length(name, language) for name in report.names)]
            for language in report.languages
        ]
    rows.append([GINI, *(report.gini(name) for name in report.names)])
    relative = f"relative to {report.base_language}" if report.base_language else "by language"
    notes = [
        "Gini coefficient of the languages' tokens per sentence: 0 if all are equal. The texts must be "
        "translations of each other."
    ]
    if not report.is_parallel():
        notes.append("These texts have different numbers of sentences, so they are not.")
    return Table("languages", f"Tokens per sentence, {relative}", columns, rows, notes)
