"""How long sentences are in each vocabulary, and how many symbols hold only part of a character.

Both are read from binarized data: lengths from its index, counts of symbols from its dictionary.
"""

from pathlib import Path
from typing import List, Sequence, Tuple

from fairseq_subword_ext.codecs.byte_notation import ByteText
from fairseq_subword_ext.subword.dictionary_file import DictionaryFile
from fairseq_subword_ext.textio.indexed_dataset import IndexedDatasetReader
from fairseq_subword_ext.textio.tables import Column, Table
from recipes.engine.run import Run
from recipes.engine.systems import System

_BYTEWISE = ("bbpe", "byte_level")
_NOTHING = "-"


def symbol_tables(run: Run, systems: Sequence[System], target: str) -> List[Table]:
    """One row per segmentation of which the paper gives lengths: its figures, and those of the training text.

    Args:
        run: the run.
        systems: all rows.
        target: the target language.
    """
    rows = {}
    for system in systems:
        name = system["segmentation"]
        if not system["lengths"] or name in rows:
            continue
        data = run.segmentation(system) / "bin"
        found = ["", "", ""]
        if (data / f"dict.{target}.txt").exists():
            found[:2] = [f"{length:.1f}" for length in lengths(data, target)]
            if system["encoder"] in _BYTEWISE:
                found[2] = f"{partial(data / f'dict.{target}.txt'):.1f}"
        paper = [*system["lengths"].split("/"), system["partial"]]
        rows[name] = [f"{one or _NOTHING} / {two or _NOTHING}" for one, two in zip(paper, found)]
    if not rows:
        return []
    headings = ["", "symbols per line, source", "target", "% with part of a character"]
    title = "Tables 3 and 4: training text of the paper / here"
    cells = [[name, *row] for name, row in rows.items()]
    return [Table("symbols", title, [Column(heading) for heading in headings], cells)]


def lengths(data: Path, target: str) -> Tuple[float, float]:
    """Mean numbers of symbols per training line, source and target; the end of the line does not count.

    Raises:
        ValueError: If an index is not that of binarized data.
    """
    symbols, lines = [0, 0], [0, 0]
    for path in data.glob("train.*.idx"):
        side = path.stem.endswith(f".{target}")
        reader = IndexedDatasetReader(path.with_suffix(""))
        lines[side] += reader.lines
        symbols[side] += sum(int(sizes.sum()) for sizes in reader.sizes()) - reader.lines
    source, translation = (count / max(total, 1) for count, total in zip(symbols, lines))
    return source, translation


def partial(dictionary: Path) -> float:
    """The percentage of the training text's symbols that hold some bytes of a character, but not all.

    Raises:
        ValueError: If it is not a dictionary.
    """
    is_partial = ByteText().is_partial
    entries = DictionaryFile.load(dictionary).entries
    total = sum(count for _, count in entries)
    return 100 * sum(count for symbol, count in entries if is_partial(symbol)) / max(total, 1)
