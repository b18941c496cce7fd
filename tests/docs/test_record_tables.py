"""Every table of measurements in the documentation is the one that its record gives."""

import json
import re
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import tables

RECORDS = sorted((ROOT / "docs" / "results").glob("*.json"))
RECORD = {
    "machine": "m",
    "rows": [{"name": "a", "x": 1234.5}, {"name": "b"}],
    "by": {"k": {"y": 1}},
}


@pytest.mark.parametrize("page", tables.PAGES, ids=lambda page: page.stem)
def test_tables_equal_their_records(page):
    text = page.read_text(encoding="utf-8")
    assert tables.with_tables(text) == text, "run python docs/tables.py"


@pytest.mark.parametrize("page", tables.PAGES, ids=lambda page: page.stem)
def test_every_table_of_figures_has_a_record(page):
    assert tables.without_record(page.read_text(encoding="utf-8")) == []


def test_a_table_of_figures_without_a_record_is_noticed():
    def found(*cells, title="x"):
        rows = "".join(f"| a | {cell} |\n" for cell in cells)
        return tables.without_record(f"text\n\n| name | {title} |\n|---|--:|\n{rows}")

    assert found("1.5", "2") == ["name | x"]
    assert found("14.2 s, 516 MiB", "3 %", "") == ["name | x"]
    assert found("1.5", "a word") == []  # half
    assert found("`5`", "3-gram model", "one") == []
    assert found("3.11", "3.12", title="Python") == []
    assert found("3.11", "3.12", title="Python \\| x") == ["name | Python \\| x"]
    table = "| x |\n|---|\n| 1 |\n"
    assert tables.without_record(f"```\n{table}```\n") == []
    generated = f"<!-- table: r.json\nrows: rows\n-->\n{table}<!-- end of table -->\n"
    assert tables.without_record(generated) == []
    assert tables.without_record(f"{generated}\n{table}") == ["x"]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_says_what_it_was_measured_with(path):
    record = json.loads(path.read_text(encoding="utf-8"))
    for part in [record] if "command" in record else record["rows"]:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", part["date"])
        assert part["command" if "command" in record else "commit"]
        assert "versions" in part or "python" in part


def test_every_record_is_used():
    """A record without a table is a result that nobody sees, or the record of a table that is gone."""
    text = "".join(page.read_text(encoding="utf-8") for page in tables.PAGES)
    for record in RECORDS:
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
