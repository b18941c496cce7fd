"""Every table of measurements in the documentation is the one that its record gives."""

import json
import re
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import tables

RECORD = {
    "machine": "m",
    "rows": [{"name": "a", "x": 1234.5}, {"name": "b"}],
    "by": {"k": {"y": 1}},
}


@pytest.mark.parametrize("page", tables.PAGES, ids=lambda page: page.stem)
def test_tables_equal_their_records(page):
    text = page.read_text(encoding="utf-8")
    assert tables.with_tables(text) == text, "run python docs/tables.py"


def test_every_record_is_used():
    """A record without a table is a result that nobody sees, or the record of a table that is gone."""
    text = "".join(page.read_text(encoding="utf-8") for page in tables.PAGES)
    for record in (ROOT / "docs" / "results").glob("*.json"):
        assert record.name in text


def test_a_table_follows_its_description():
    description = "rows: rows\nName: name\nValue: x | ,.1f\nMachine: .machine\n"
    assert tables.table(RECORD, description) == (
        "| Name | Value | Machine |\n| --- | --: | --- |\n| a | 1,234.5 | m |\n| b |  | m |\n"
    )
    assert "| b |" not in tables.table(RECORD, "rows: rows\nonly: name a\nName: name\n")
    assert "| k | 1 |" in tables.table(RECORD, "rows: by\nName: key\nY: y | d\n")
    with pytest.raises(ValueError, match="in no row"):
        tables.table(RECORD, "rows: rows\nName: nothing\n")


def test_a_changed_cell_is_noticed(monkeypatch, tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "r.json").write_text(json.dumps(RECORD))
    monkeypatch.setattr(tables, "DOCS", tmp_path)
    page = "x\n<!-- table: r.json\nrows: rows\nName: name\n-->\n| old |\n<!-- end of table -->\ny\n"
    written = tables.with_tables(page)
    assert "| a |" in written and "old" not in written
    assert tables.with_tables(written) == written
    assert tables.with_tables(re.sub(r"\| a \|", "| c |", written)) == written
