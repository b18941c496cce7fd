"""The tables of a report, in the layouts of the papers' tables."""

from typing import List, Optional, Sequence

from fairseq_subword_ext.reports.corpus_statistics import Statistics, ratio
from fairseq_subword_ext.reports.intrinsic_tables import evenness_table, languages_table
from fairseq_subword_ext.reports.report import Report
from fairseq_subword_ext.reports.table_parts import (
    ALL_LANGUAGES,
    LANGUAGE,
    SEGMENTATION,
    by_language,
)
from fairseq_subword_ext.textio.tables import Column, Table, Value


def statistics_tables(report: Report) -> List[Table]:
    """All tables for which there is data."""
    tables = [
        corpus_table(report),
        splitting_table(report),
        lengths_table(report),
        characters_table(report),
        evenness_table(report),
        languages_table(report),
        partial_characters_table(report),
        cost_table(report),
        frequencies_table(report),
        sharing_table(report),
    ]
    return [table for table in tables if table is not None]


def corpus_table(report: Report) -> Table:
    """Tokens, types and unknown tokens: Sennrich, Haddow & Birch 2016, Table 1."""
    heldout = any(text.heldout for text in report)
    columns = [SEGMENTATION, Column("Tokens"), Column("Types")]
    notes = []
    if heldout:
        columns.append(Column("Unknown"))
        notes.append(
            "Unknown: tokens of the held-out text that do not occur in the segmented text."
        )

    def values(text: Statistics) -> Sequence[Value]:
        unknown = [text.heldout.unknown if text.heldout else None] if heldout else []
        return [text.tokens, text.types, *unknown]

    table = by_language(
        report, "corpus", "Corpus statistics (layout of Sennrich et al. 2016, Table 1)",
        columns, values, raw=True,
    )  # fmt: skip
    if len(report.languages) > 1:
        for name in report.names:
            tokens = sum(text.tokens for text in report.of(name))
            row: List[Value] = [ALL_LANGUAGES, name, tokens, sum(report.shared[name])]
            table.rows.append(row + [None] * heldout)
    table.notes += notes
    return table


def splitting_table(report: Report) -> Table:
    """Split words and the increase in length, per sentence: Wu & Zhao 2018, Figure 2."""
    columns = [
        SEGMENTATION,
        Column("Words", 2),
        Column("Split words", 2),
        Column("Split, %", 1),
        Column("Tokens", 2),
        Column("Increase", 2, signed=True),
        Column("Increase, %", 1, signed=True),
    ]

    def values(text: Statistics) -> Sequence[Value]:
        return [
            text.mean_words,
            text.mean_split_words,
            text.split_share,
            text.mean_length,
            text.length_increase,
            text.length_increase_share,
        ]

    return by_language(
        report, "splitting",
        "Split words and length per sentence, on average (Wu & Zhao 2018, Figure 2)",
        columns, values,
    )  # fmt: skip


def lengths_table(report: Report) -> Table:
    """Mean sentence lengths: Wang, Cho & Gu 2020, Table 4."""
    columns = [LANGUAGE, *(Column(name, 1) for name in report.names)]
    rows = [
        [
            language or "text",
            *(report.statistics[name, language].mean_length for name in report.names),
        ]
        for language in report.languages
    ]
    return Table(
        "lengths", "Tokens per sentence, on average (layout of Wang et al. 2020, Table 4)",
        columns, rows,
    )  # fmt: skip


def characters_table(report: Report) -> Table:
    """Tokens relative to the raw text, and how much is split into single characters."""
    columns = [
        SEGMENTATION,
        Column("Tokens per sentence", 2),
        Column("per 1,000 characters", 1),
        Column("Single characters, % of tokens", 1),
        Column("Spelled words, % of words", 1),
        Column("Median tokens"),
        Column("Longest"),
    ]

    def values(text: Statistics) -> Sequence[Value]:
        return [
            text.mean_length,
            text.tokens_per_1000_characters,
            text.single_share,
            text.spelled_share,
            text.median,
            text.longest,
        ]

    table = by_language(report, "characters", "Tokens compared to the raw text", columns, values)
    table.notes.append(
        "Single characters: tokens of split words that consist of one character or part of one. "
        "Spelled words: words split entirely into such tokens."
    )
    return table


def partial_characters_table(report: Report) -> Optional[Table]:
    """Tokens with partial characters, in %: Wang, Cho & Gu 2020, Table 3."""
    names = report.bytewise_names()
    if not names:
        return None
    columns = [LANGUAGE, *(Column(name, 1) for name in names)]
    rows: List[Sequence[Value]] = [
        [language or "text", *(report.statistics[name, language].partial_share for name in names)]
        for language in report.languages
    ]
    if len(report.languages) > 1:
        rows.append([ALL_LANGUAGES, *(_partial_share(report.of(name)) for name in names)])
    return Table(
        "partial",
        "Tokens with partial characters, % (layout of Wang et al. 2020, Table 3)",
        columns,
        rows,
    )


def _partial_share(texts: Sequence[Statistics]) -> Optional[float]:
    if any(text.partial_tokens is None for text in texts):
        return None
    partial = sum(text.partial_tokens or 0 for text in texts)
    return ratio(100 * partial, sum(text.tokens for text in texts))


def cost_table(report: Report) -> Optional[Table]:
    """Training and decoding, per sentence and per 1,000 characters of raw text."""
    names = [name for name in report.names if name in report.training or name in report.decoding]
    if not names:
        return None
    columns = [
        SEGMENTATION,
        Column("Training, ms per sentence", 3),
        Column("Training, ms per 1,000 characters", 3),
        Column("Decoding, ms per sentence", 3),
        Column("Decoding, ms per 1,000 characters", 3),
    ]
    rows = [[name, *report.training_cost(name), *report.decoding_cost(name)] for name in names]
    notes = [
        "Training: characters of a sentence in all given languages (source and target, if both are "
        "given). Decoding: characters of the sources in the log."
    ]
    return Table("cost", "Time, from Fairseq's logs", columns, rows, notes)


def frequencies_table(report: Report) -> Table:
    """Symbols by frequency: Wang, Cho & Gu 2020, Figure 2."""
    columns = [Column("Occurrences"), *(Column(name) for name in report.names)]
    highest = max((k for bins in report.frequencies.values() for k in bins), default=-1)
    rows: List[Sequence[Value]] = []
    for k in range(highest + 1):
        least, most = 1 << k, (1 << (k + 1)) - 1
        label = f"{least:,}" if least == most else f"{least:,}–{most:,}"
        rows.append([label, *(report.frequencies[name].get(k, 0) for name in report.names)])
    return Table(
        "frequencies",
        "Symbols by number of occurrences in the text (Wang et al. 2020, Figure 2)",
        columns,
        rows,
    )


def sharing_table(report: Report) -> Optional[Table]:
    """Symbols by the number of languages that share them: Wang, Cho & Gu 2020, Figure 3."""
    if len(report.languages) < 2:
        return None
    columns = [Column("Languages"), *(Column(name) for name in report.names)]
    rows: List[Sequence[Value]] = [
        [str(number), *(report.shared[name][number - 1] for name in report.names)]
        for number in range(1, len(report.languages) + 1)
    ]
    return Table(
        "sharing",
        "Symbols by number of languages that share them (Wang et al. 2020, Figure 3)",
        columns,
        rows,
    )
