"""A recipe's systems.tsv: one row for each row of the paper's table.

Columns, by tabs, in any order; "-" stands for nothing:

    system        name of the row on the command line
    row           the paper's name of it
    segmentation  name of the segmented data; rows with one name share it
    encoder       Fairseq's --bpe: bbpe, byte_level, char_level, generalized_bpe; sentencepiece for BPE by that library
    learn         flags of fairseq-subword learn-bpe, or of text/pieces.py; nothing for bytes and characters
    learn_target  flags for the target side, if it has codes of its own
    binarize      more flags of fairseq-subword binarize
    segment, segment_target   instead of an encoder: name and flags of segment-baseline for each side
    words, words_target       with them: symbols of the dictionaries, the most frequent ones; nothing for all
    config        configs/RECIPE/CONFIG.yaml
    set           what differs from it, as KEY=VALUE, separated by spaces
    generate      flags of fairseq-generate
    model         another row whose model this one decodes with
    table, down, across   the paper's table, and the row and column in it, for tables that are grids
    baseline      the rows, as a pattern, of which the best is the baseline of the significance test
    lengths       the paper's symbols per training line, SOURCE/TARGET
    partial       the paper's percentage of symbols that hold part of a character
    figure:NAME   the paper's figure in the column NAME of its table

A recipe may have further columns, and need not have all of these. Lines that start with # are comments.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Dict, List, Sequence

from fairseq_subword_ext.textio.files import atomic_text_writer

FIGURE = "figure:"


@dataclass(frozen=True)
class System:
    """One row.

    Attributes:
        name: the row's name on the command line.
        columns: all other columns except figures; "" for nothing.
        figures: the paper's figures by the names of its table's columns, as printed there.
    """

    name: str
    columns: Dict[str, str]
    figures: Dict[str, str]

    def __getitem__(self, column: str) -> str:
        """A column's value; "" for nothing, and for columns that the table lacks."""
        return self.columns.get(column, "")

    def flags(self, column: str) -> List[str]:
        """A column's value as arguments."""
        return self[column].split()

    @property
    def label(self) -> str:
        """The paper's name of the row, or else ours."""
        return self["row"] or self.name


def read_systems(path: Path) -> List[System]:
    """Reads all rows.

    Raises:
        ValueError: If a row has another number of columns than the header, its name cannot be a folder's
            name, or comes twice; the message has path and line.
        OSError: If the file cannot be read.
    """
    lines = [
        (number, line.split("\t"))
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines or "system" not in lines[0][1]:
        raise ValueError(f"{path}:1: expected a tab-separated header with the column 'system'")
    header = lines[0][1]
    systems: Dict[str, System] = {}
    for number, cells in lines[1:]:
        if len(cells) != len(header):
            raise ValueError(
                f"{path}:{number}: {len(cells)} columns, but the header has {len(header)}; columns are "
                "separated by one tab, and '-' stands for nothing"
            )
        row = {name: "" if cell == "-" else cell for name, cell in zip(header, cells)}
        name = row.pop("system")
        if not name or "/" in name or name.startswith("."):
            raise ValueError(f"{path}:{number}: {name!r} cannot be the name of a system")
        if name in systems:
            raise ValueError(f"{path}:{number}: the system {name} is listed twice")
        systems[name] = System(
            name,
            {key: cell for key, cell in row.items() if not key.startswith(FIGURE)},
            {key[len(FIGURE) :]: cell for key, cell in row.items() if key.startswith(FIGURE)},
        )
    return list(systems.values())


def write_systems(path: Path, systems: Sequence[System]) -> None:
    """Writes a table that :func:`read_systems` reads; all systems have the columns of the first."""
    columns = list(systems[0].columns)
    figures = list(systems[0].figures)
    rows = [["system", *columns, *(FIGURE + name for name in figures)]]
    for system in systems:
        cells = [system[name] for name in columns] + [system.figures[name] for name in figures]
        rows.append([system.name, *(cell or "-" for cell in cells)])
    with atomic_text_writer(path) as stream:
        stream.writelines("\t".join(row) + "\n" for row in rows)


def choose(systems: Sequence[System], names: Sequence[str], recipe: str) -> List[System]:
    """The rows with these names, in the order of the names.

    Raises:
        ValueError: If there is no such row.
    """
    by_name = {system.name: system for system in systems}
    for name in names:
        if name not in by_name:
            near = get_close_matches(name, by_name, n=3) or list(by_name)
            raise ValueError(f"{recipe} has no row {name!r}; did you mean {', '.join(near)}?")
    return [by_name[name] for name in dict.fromkeys(names)]
