"""Tables of measurements in README.md and docs/*.md, written from the records in docs/results.

    python docs/tables.py            writes every table again
    python docs/tables.py --check    fails where a table differs from its record, or has none

A table stands between two comments. The first names the record and describes the columns:

    <!-- table: multi30k_statistics.json
    rows: segmentations
    Segmentation: name
    Tokens: tokens | ,
    Tokens per sentence: mean_length | .2f
    -->
    (the table)
    <!-- end of table -->

`rows` is the path of a list in the record, or of an object, whose keys are then called `key`; ` + ` joins several. A column has a
title, the path of its value in a row, and a format as in Python; keys of a path are joined by dots, and a path
that starts with a dot starts at the top of the record. A row that lacks a value has an empty cell. `only: PATH
VALUE VALUE` keeps the rows with one of these values, in that order.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any, List, Tuple

DOCS = Path(__file__).resolve().parent
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]
_TABLE = re.compile(
    r"^<!-- table: (?P<record>\S+)\n(?P<columns>.*?)-->\n(?P<table>.*?)^<!-- end of table -->$",
    flags=re.MULTILINE | re.DOTALL,
)


# A cell that is a figure: a number, perhaps with a unit, and more after a comma.
_FIGURE = re.compile(r"[~≈−-]?\d[\d,.]*(?: ?(?:%|[^\W\d_]+))?(?:[,;] .*)?$")
# Columns of version numbers.
_VERSIONS = {"Python", "Fairseq", "torch", "numpy"}


def without_record(text: str) -> List[str]:
    """The headers of a page's tables of figures that no record gives: more than half of a column are figures."""
    rest = re.sub(r"^```.*?^```$", "", _TABLE.sub("", text), flags=re.MULTILINE | re.DOTALL)
    found = []
    for lines in re.findall(r"(?:^\|.*\n?)+", rest, flags=re.MULTILINE):
        header, _, *rows = (
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in lines.splitlines()
        )
        for title, *column in zip(header, *rows):
            filled = list(filter(None, column))
            figures = sum(bool(_FIGURE.match(cell)) for cell in filled)
            if title not in _VERSIONS and 2 * figures > len(filled):
                found.append(" | ".join(header))
                break
    return found


def with_tables(text: str) -> str:
    """A page with every table written from its record."""
    return _TABLE.sub(_written, text)


def _written(match: "re.Match[str]") -> str:
    record = json.loads((DOCS / "results" / match["record"]).read_text(encoding="utf-8"))
    start = match[0][: match.start("table") - match.start()]
    return f"{start}\n{table(record, match['columns'])}\n<!-- end of table -->"


def table(record: Any, description: str) -> str:
    """The Markdown table of a record, as the description says.

    Raises:
        ValueError: If the description has no rows or no columns, or a column has no value in any row.
    """
    settings, columns = _columns(description)
    if "rows" not in settings or not columns:
        raise ValueError(f"a table needs rows and columns:\n{description}")
    rows = [row for path in settings["rows"].split(" + ") for row in _rows(value_at(record, path))]
    if "only" in settings:
        path, *wanted = settings["only"].split()
        by_value = {str(value_at(row, path)): row for row in rows}
        rows = [by_value[value] for value in wanted]
    cells = []
    for title, path, form in columns:
        at_top = path.startswith(".")
        values = [value_at(record if at_top else row, path.lstrip(".")) for row in rows]
        if all(value is None for value in values):
            raise ValueError(f"{title}: {path} is in no row of the record")
        cells.append([_formatted(value, form) for value in values])
    lines = [
        _line([title for title, _, _ in columns]),
        _line(["--:" if form else "---" for _, _, form in columns]),
        *(_line(row) for row in zip(*cells)),
    ]
    return "\n".join(lines) + "\n"


def value_at(value: Any, path: str) -> Any:
    """The value at a dotted path, or None."""
    for key in path.split(".") if path else []:
        if isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return None
    return value


def _rows(found: Any) -> List[dict]:
    return [{"key": key, **row} for key, row in found.items()] if isinstance(found, dict) else found


def _columns(description: str) -> Tuple[dict, List[Tuple[str, str, str]]]:
    settings, columns = {}, []
    for line in filter(None, map(str.strip, description.split("\n"))):
        title, _, value = line.partition(": ")
        if title in ("rows", "only"):
            settings[title] = value
        else:
            path, _, form = value.partition(" | ")
            columns.append((title, path.strip(), form.strip()))
    return settings, columns


def _formatted(value: Any, form: str) -> str:
    if value is None:
        return ""
    return format(value, form) if form else str(value)


def _line(cells: List[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if a table differs"
    )
    check = parser.parse_args().check
    status = 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for header in without_record(text):
            print(f"{page}: a table of figures without a record: {header}")
            status = 1
        written = with_tables(text)
        if written != text:
            if check:
                print(f"{page}: a table differs from its record: run python docs/tables.py")
                status = 1
            else:
                page.write_text(written, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
