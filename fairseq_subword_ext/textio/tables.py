"""The one writer of tables: as data, and as text, TSV, Markdown or JSON.

:class:`Table` and :func:`render` are for tables whose columns each hold one kind of value. The functions
that take rows of cells are for the others, such as a table with one row per measure.
"""

import json
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

FORMATS = ("text", "tsv", "markdown", "json")

Value = Union[str, int, float, None]

# What a table for readers shows where there is no value; TSV leaves the cell empty.
MISSING = "–"


@dataclass(frozen=True)
class Column:
    """How the values under one heading are shown to readers.

    Attributes:
        heading: of the column.
        digits: decimals of a number; None for whole numbers and text.
        signed: put a plus in front of what is above zero.
    """

    heading: str
    digits: Optional[int] = None
    signed: bool = False

    def shown(self, value: Value) -> str:
        """A value for readers: thousands separated by commas, decimals rounded."""
        if value is None:
            return MISSING
        if isinstance(value, str):
            return value
        sign = "+" if self.signed else ""
        return f"{value:{sign},}" if self.digits is None else f"{value:{sign},.{self.digits}f}"

    def exact(self, value: Value) -> str:
        """A value for programs: rounded as for readers, but no commas."""
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        return str(value) if self.digits is None else f"{value:.{self.digits}f}"


@dataclass
class Table:
    """A table with what its numbers mean.

    Attributes:
        key: a short name for programs, such as "corpus".
        title: what it shows, and the paper's table that it follows.
        columns: the first one names the rows.
        rows: as many values each as there are columns; None where there is none.
        notes: what a reader has to know, a sentence each.
    """

    key: str
    title: str
    columns: Sequence[Column]
    rows: List[Sequence[Value]]
    notes: List[str] = field(default_factory=list)

    def left_aligned(self) -> List[bool]:
        """Of each column, whether it holds text: numbers are aligned at the right."""
        return [
            all(isinstance(row[index], str) for row in self.rows)
            for index in range(len(self.columns))
        ]

    def as_data(self) -> Dict[str, Any]:
        """For JSON: unrounded values."""
        return {
            "key": self.key,
            "title": self.title,
            "columns": [column.heading for column in self.columns],
            "rows": [list(row) for row in self.rows],
            "notes": self.notes,
        }


def render(tables: Sequence[Table], style: str) -> str:
    """Writes tables one after the other, an empty line between them.

    Args:
        tables: what to write.
        style: one of :data:`FORMATS`. TSV has each title in a line that starts with ``#``.

    Raises:
        ValueError: If the style is none of them.
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
    """Rows of cells as columns for a terminal, two spaces apart.

    Args:
        rows: as many cells each; the first row holds the headings.
        left: for each column, whether it is aligned at the left; by default only the first one is.
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
    """Rows of cells for programs: separated by tabs, of which cells hold none."""
    return ["\t".join(" ".join(cell.split()) for cell in row) for row in rows]


def markdown_lines(
    rows: Sequence[Sequence[str]], left: Optional[Sequence[bool]] = None
) -> List[str]:
    """Rows of cells as a Markdown table; arguments as of :func:`text_lines`."""
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
    """Columns that a terminal needs: two for wide characters, none for combining marks."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in cell)
    marks = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in cell)
    return len(cell) + wide - marks
