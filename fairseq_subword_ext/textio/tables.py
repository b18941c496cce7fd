"""Writes tables as text, TSV, Markdown or JSON; the only module that does.

:class:`Table` and :func:`render` are for tables whose columns each hold one kind of value. The functions
that take rows of cells are for all others, for example a table with one row per measure.
"""

import json
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

FORMATS = ("text", "tsv", "markdown", "json")

Value = Union[str, int, float, None]

# Stands for a missing value in tables for readers; TSV leaves the cell empty.
MISSING = "–"


@dataclass(frozen=True)
class Column:
    """How the values of one column are formatted.

    Attributes:
        heading: the column's heading.
        digits: decimals of a number; None for whole numbers and text.
        signed: prefix positive numbers with a plus.
    """

    heading: str
    digits: Optional[int] = None
    signed: bool = False

    def shown(self, value: Value) -> str:
        """Formats a value for readers: thousands separated by commas, decimals rounded."""
        if value is None:
            return MISSING
        if isinstance(value, str):
            return value
        sign = "+" if self.signed else ""
        return f"{value:{sign},}" if self.digits is None else f"{value:{sign},.{self.digits}f}"

    def exact(self, value: Value) -> str:
        """Formats a value for programs: rounded as for readers, but without commas."""
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        return str(value) if self.digits is None else f"{value:.{self.digits}f}"


@dataclass
class Table:
    """A table with the notes that explain its numbers.

    Attributes:
        key: a short name for programs, for example "corpus".
        title: what it shows, and the table of the paper that it follows.
        columns: the first one names the rows.
        rows: one value per column; None for a missing value.
        notes: what a reader needs to know, one sentence each.
    """

    key: str
    title: str
    columns: Sequence[Column]
    rows: List[Sequence[Value]]
    notes: List[str] = field(default_factory=list)

    def left_aligned(self) -> List[bool]:
        """For each column, whether it holds text; numbers are right-aligned."""
        return [
            all(isinstance(row[index], str) for row in self.rows)
            for index in range(len(self.columns))
        ]

    def as_data(self) -> Dict[str, Any]:
        """Returns the table for JSON, with unrounded values."""
        return {
            "key": self.key,
            "title": self.title,
            "columns": [column.heading for column in self.columns],
            "rows": [list(row) for row in self.rows],
            "notes": self.notes,
        }


def render(tables: Sequence[Table], style: str) -> str:
    """Formats tables, separated by empty lines.

    Args:
        tables: the tables.
        style: one of :data:`FORMATS`. TSV has each title in a line that starts with ``#``.

    Raises:
        ValueError: If there is no such style.
    """
    if style not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {style!r}")
    if style == "json":
        data = [table.as_data() for table in tables]
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    write = {"text": _text, "tsv": _tsv, "markdown": _markdown}[style]
    return "\n".join(write(table) for table in tables)


def text_lines(
    rows: Sequence[Sequence[str]], left: Optional[Sequence[bool]] = None, rule: bool = False
) -> List[str]:
    """Formats rows of cells as columns for a terminal, two spaces apart.

    Args:
        rows: rows of equal length; the first holds the headings.
        left: for each column, whether it is left-aligned; by default only the first one is.
        rule: whether to underline the headings.
    """
    widths = [max(map(_width, column)) for column in zip(*rows)]
    aligned = _alignment(rows, left)
    lines = []
    for row in rows:
        parts = [_padded(*cell) for cell in zip(row, widths, aligned)]
        lines.append("  ".join(parts).rstrip(" "))
    if rule:
        lines.insert(1, "  ".join("-" * width for width in widths))
    return lines


def tsv_lines(rows: Sequence[Sequence[str]]) -> List[str]:
    """Formats rows of cells as tab-separated lines; white space inside a cell becomes one space."""
    return ["\t".join(" ".join(cell.split()) for cell in row) for row in rows]


def markdown_lines(
    rows: Sequence[Sequence[str]], left: Optional[Sequence[bool]] = None
) -> List[str]:
    """Formats rows of cells as a Markdown table; arguments as for :func:`text_lines`."""
    heading, *others = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    rule = ["---" if is_left else "--:" for is_left in _alignment(rows, left)]
    return ["| " + " | ".join(row) + " |" for row in (heading, rule, *others)]


def _alignment(rows: Sequence[Sequence[str]], left: Optional[Sequence[bool]]) -> Sequence[bool]:
    return [place == 0 for place in range(len(rows[0]))] if left is None else left


def _text(table: Table) -> str:
    lines = text_lines(_shown(table), table.left_aligned(), rule=True)
    return "\n".join([table.title, "", *lines, *table.notes, ""])


def _tsv(table: Table) -> str:
    rows = [[c.exact(value) for c, value in zip(table.columns, row)] for row in table.rows]
    lines = tsv_lines([[column.heading for column in table.columns], *rows])
    return "\n".join([f"# {table.title}", *lines, ""])


def _markdown(table: Table) -> str:
    lines = markdown_lines(_shown(table), table.left_aligned())
    notes = [part for note in table.notes for part in ("", note)]
    return "\n".join([f"**{table.title}**", "", *lines, *notes, ""])


def _shown(table: Table) -> List[Tuple[str, ...]]:
    rows = [tuple(c.shown(value) for c, value in zip(table.columns, row)) for row in table.rows]
    return [tuple(column.heading for column in table.columns), *rows]


def _padded(cell: str, width: int, left: bool) -> str:
    room = " " * (width - _width(cell))
    return cell + room if left else room + cell


def _width(cell: str) -> int:
    """The width in a terminal: two columns for wide characters, none for combining marks."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in cell)
    marks = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in cell)
    return len(cell) + wide - marks
