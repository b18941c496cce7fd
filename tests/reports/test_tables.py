"""Tables in every format."""

import json

import pytest

from fairseq_subword_ext.reports.tables import Column, Table, render

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
    with pytest.raises(ValueError, match="'csv' is none of text, tsv"):
        render([TABLE], "csv")
