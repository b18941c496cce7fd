"""Tables in every format."""

import json

import pytest

from fairseq_subword_ext.textio.tables import (
    Column,
    Table,
    markdown_lines,
    render,
    text_lines,
    tsv_lines,
)

TABLE = Table(
    "t",
    "A title",
    [Column("Name"), Column("Count"), Column("Share", 1, signed=True)],
    [["日本", 1234567, 0.25], ["a|b", None, -12.0]],
    ["A note."],
)


def test_text():
    """Wide characters take two columns."""
    assert render([TABLE], "text") == (
        "A title\n\n"
        "Name      Count  Share\n"
        "----  ---------  -----\n"
        "日本  1,234,567   +0.2\n"
        "a|b           –  -12.0\n"
        "A note.\n"
    )


def test_tsv():
    lines = ["# A title", "Name\tCount\tShare", "日本\t1234567\t0.2", "a|b\t\t-12.0"]
    assert render([TABLE, TABLE], "tsv") == "\n".join([*lines, "", *lines, ""])


def test_markdown():
    assert render([TABLE], "markdown") == (
        "**A title**\n\n"
        "| Name | Count | Share |\n"
        "| --- | --: | --: |\n"
        "| 日本 | 1,234,567 | +0.2 |\n"
        "| a\\|b | – | -12.0 |\n\n"
        "A note.\n"
    )


def test_json():
    [data] = json.loads(render([TABLE], "json"))
    assert data["columns"] == ["Name", "Count", "Share"]
    assert data["rows"] == [["日本", 1234567, 0.25], ["a|b", None, -12.0]]


def test_an_unknown_format():
    with pytest.raises(ValueError, match="must be one of text, tsv, markdown, json, not 'csv'"):
        render([TABLE], "csv")


ROWS = [["", "a|b", "日本"], ["BLEU", "66.87", "1.00"], ["p", "0.0215 +", "-"]]


def test_rows_of_cells():
    """The first column names the rows; wide characters take two columns."""
    assert text_lines(ROWS) == [
        "           a|b  日本",
        "BLEU     66.87  1.00",
        "p     0.0215 +     -",
    ]
    assert text_lines(ROWS, left=[True] * 3, rule=True)[:2] == [
        "      a|b       日本",
        "----  --------  ----",
    ]
    assert tsv_lines([["a\tb", " c"], ["", "d\ne"]]) == ["a b\tc", "\td e"]
    assert markdown_lines(ROWS)[:3] == [
        "|  | a\\|b | 日本 |",
        "| --- | --: | --: |",
        "| BLEU | 66.87 | 1.00 |",
    ]
