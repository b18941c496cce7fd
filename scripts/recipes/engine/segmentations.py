"""How the segmentations of a run differ, before any training: vocabularies, lengths, unknown symbols."""

import json
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from fairseq_subword_ext.codecs.byte_notation import ByteText
from fairseq_subword_ext.codecs.registry import make_codec, notation_of
from fairseq_subword_ext.subword.dictionary import CONTROL_SYMBOLS
from fairseq_subword_ext.subword.dictionary_file import UNK
from fairseq_subword_ext.textio.files import read_text_lines
from fairseq_subword_ext.textio.indexed_dataset import IndexedDatasetReader
from fairseq_subword_ext.textio.tables import Column, Table, Value
from recipes.engine.run import Run
from recipes.engine.systems import System
from recipes.text.raw_text import read_lines


class Measured(NamedTuple):
    """What the binarized data says of a segmentation.

    Attributes:
        symbols: size of the dictionaries, without Fairseq's four symbols; two numbers if the sides differ.
        source, target: symbols per training line.
        unknown: percentage of the test sets' symbols that are ``<unk>``; None if they are not binarized.
        partial: percentage of the training text's symbols that hold part of a character; None for characters.
    """

    symbols: str
    source: float
    target: float
    unknown: Optional[float]
    partial: Optional[float]


def segmentation_table(
    run: Run, systems: Sequence[System], tests: Callable[[System], Sequence[Path]] = lambda _: ()
) -> Optional[Table]:
    """One row per segmentation that is binarized, with the paper's lengths and shares; None without any.

    Args:
        run: the run.
        systems: the rows.
        tests: the raw test sets of a row, if they are not binarized.
    """
    rows: List[List[Value]] = []
    paper = any(system["lengths"] or system["partial"] for system in systems)
    for name, system in {system["segmentation"]: system for system in reversed(systems)}.items():
        found = measure(run.segmentation(system) / "bin", system["encoder"])
        if found is None:
            continue
        unknown = found.unknown
        if unknown is None:
            unknown = unknown_share(run.segmentation(system), system["encoder"], tests(system))
        row: List[Value] = [name, found.symbols, found.source, found.target]
        row += [system["lengths"] or "-"] if paper else []
        row += [unknown, found.partial]
        row += [system["partial"] or "-"] if paper else []
        rows.insert(0, row)
    if not rows:
        return None
    columns = [
        Column("segmentation"),
        Column("dictionary"),
        Column("source", 1),
        Column("target", 1),
    ]
    columns += [Column("paper")] if paper else []
    columns += [Column("% <unk> in test", 2), Column("% partial", 1)]
    columns += [Column("paper")] if paper else []
    notes = [
        "source, target: symbols per training line; % partial: symbols that are only part of a character"
    ]
    return Table("segmentations", "Segmentations", columns, rows, notes)


def measure(data: Path, encoder: str) -> Optional[Measured]:
    """Measures binarized data; None if there is none."""
    text = segmented(data)
    record = record_of(data, text)
    texts: Dict[str, dict] = record["texts"]
    if not texts:
        return None
    train = [name.split(".") for name in texts if name.startswith("train.")]
    targets = {language for _, pair, language in train if pair.endswith(f"-{language}")}

    def length(is_target: bool) -> float:
        sides = [texts[".".join(name)] for name in train if (name[2] in targets) == is_target]
        return sum(map(symbols_of, sides)) / max(sum(text["lines"] for text in sides), 1)

    tests = [text for name, text in texts.items() if not name.startswith(("train.", "valid."))]
    tokens = sum(map(symbols_of, tests))
    unknown = 100 * sum(text["unknown"] for text in tests) / tokens if tokens else None
    sizes = [content["symbols"] - CONTROL_SYMBOLS for content in record["dictionaries"].values()]
    return Measured(
        " + ".join(f"{size:,}" for size in sizes),
        length(False),
        length(True),
        unknown,
        partial(data, text, encoder),
    )


def segmented(data: Path) -> Path:
    """The folder with the training text: the data's own, or that of the newest cache of a task that reads raw text."""
    caches = data.glob("cache/*/train-*/all/contents.json")
    newest = max(caches, key=lambda path: path.stat().st_mtime_ns, default=None)
    return newest.parent if newest else data


def record_of(data: Path, text: Path) -> dict:
    """What ``binarize.json`` says of texts and dictionaries or, without it, what the segmented text says."""
    path = data / "binarize.json"
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    texts = {}
    for index in sorted(text.glob("*.idx")):
        reader = IndexedDatasetReader(index.with_suffix(""))
        tokens = unknown = 0
        for ids in reader.ids():
            tokens += len(ids)
            unknown += int((ids == UNK).sum())
        texts[index.stem] = {"lines": reader.lines, "tokens": tokens, "unknown": unknown}
    dictionaries = {path.read_bytes() for path in data.glob("dict.*.txt")}
    sizes = [CONTROL_SYMBOLS + content.count(b"\n") for content in dictionaries]
    return {
        "texts": texts,
        "dictionaries": {str(number): {"symbols": size} for number, size in enumerate(sizes)},
    }


def unknown_share(folder: Path, encoder: str, texts: Sequence[Path]) -> Optional[float]:
    """The percentage of raw texts' symbols that the dictionary lacks; None without any text."""
    codes = folder / "codes"
    codec = make_codec(encoder, codes if codes.exists() else None)
    lines = read_text_lines(next((folder / "bin").glob("dict.*.txt")))
    known = {line.rpartition(" ")[0] for line in lines}
    encoded = (codec.encode_lines(list(read_lines(path))) for path in texts)
    symbols = [
        symbol for lines in encoded for line in lines for symbol in line.split(" ") if symbol
    ]
    return 100 * sum(one not in known for one in symbols) / len(symbols) if symbols else None


def symbols_of(text: dict) -> int:
    """The symbols of a text, without the end of each sentence, which Fairseq counts."""
    return text["tokens"] - text["lines"]


def partial(data: Path, text: Path, encoder: str) -> Optional[float]:
    """The percentage of the training text's symbols that hold part of a character; None for characters."""
    if not encoder:  # a baseline, all of which cut between characters
        return None
    notation = notation_of(encoder)
    if not notation.bytewise or notation.single:
        return None
    is_partial = ByteText().is_partial
    held = total = 0
    common = next(data.glob("dict.*.txt"))
    for path in sorted(text.glob("train.*.bin")):
        own = data / f"dict.{path.suffixes[-2][1:]}.txt"
        lines = read_text_lines(own if own.exists() else common)
        symbols = [line.rpartition(" ")[0] for line in lines]
        flags = np.array([False] * CONTROL_SYMBOLS + [is_partial(symbol) for symbol in symbols])
        for ids in IndexedDatasetReader(path.with_suffix("")).ids():
            counted = ids >= CONTROL_SYMBOLS
            held += int(flags[ids[counted]].sum())
            total += int(counted.sum())
    return 100 * held / total if total else None
