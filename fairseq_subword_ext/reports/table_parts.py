"""Shared by the report's tables: column names, and tables with one row per segmentation and language."""

from typing import Callable, List, Sequence

from fairseq_subword_ext.reports.corpus_statistics import Statistics
from fairseq_subword_ext.reports.report import NO_SEGMENTATION, Report
from fairseq_subword_ext.textio.tables import Column, Table, Value

ALL_LANGUAGES = "all"
SEGMENTATION = Column("Segmentation")
LANGUAGE = Column("Language")


def by_language(
    report: Report,
    key: str,
    title: str,
    columns: Sequence[Column],
    values: Callable[[Statistics], Sequence[Value]],
    raw: bool = False,
) -> Table:
    """A table with one row per segmentation, or per language and segmentation if there are several."""
    several = len(report.languages) > 1
    rows: List[Sequence[Value]] = []
    for language in report.languages:
        first = [language] if several else []
        if raw and language in report.raw:
            rows.append([*first, NO_SEGMENTATION, *values(report.raw[language])])
        for name in report.names:
            rows.append([*first, name, *values(report.statistics[name, language])])
    return Table(key, title, [*([LANGUAGE] if several else []), *columns], rows)
