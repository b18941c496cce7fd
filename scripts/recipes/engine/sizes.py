"""The sizes of vocabularies, before anything is learned: base symbols, merges, and both together."""

import argparse
import json
from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence

from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.textio.inputs import expand
from fairseq_subword_ext.textio.tables import Column, Table
from recipes.engine.commands import Command, tool
from recipes.engine.steps import Step

_FEWEST = 0.1  # share of the merges asked for that has to remain
_BYTES = 256


class Size(NamedTuple):
    """The size of one vocabulary.

    Attributes:
        name: the step that learns it.
        asked: symbols or merges asked for.
        base: base symbols; None if the text is not there yet.
        merges: merges that were learned, or else that can be learned; None if that is not known yet.
        left: how many of the symbols asked for are left for merges; None if that is not known yet.
    """

    name: str
    asked: int
    base: Optional[int]
    merges: Optional[int]
    left: Optional[int]


class _Learning(NamedTuple):
    """What a ``learn-bpe`` command says of sizes."""

    asked: int
    total: bool
    unit: str
    trainer: str
    texts: List[Path]
    codes: Path


def sizes(steps: Sequence[Step]) -> List[Size]:
    """The sizes of all vocabularies that the steps learn."""
    return [
        size_of(step.name, found)
        for step in steps
        for found in map(_learning, step.commands)
        if found
    ]


def check(step: Step) -> None:
    """Stops a step that would learn almost nothing.

    Raises:
        ValueError: If fewer than a tenth of the merges asked for remain.
    """
    for size in sizes([step]):
        if size.left is not None and size.left < _FEWEST * size.asked:
            raise ValueError(
                f"{step.name}: of the {size.asked:,} symbols asked for, {size.base:,} are base symbols, which "
                f"leaves {max(size.left, 0):,} merges, fewer than a tenth: ask for more symbols, for bytes "
                "(--unit byte), or for merges instead of --total-symbols"
            )


def size_table(steps: Sequence[Step]) -> Table:
    """The sizes as a table."""
    rows = []
    for size in sizes(steps):
        known = size.base is not None and size.merges is not None
        rows.append(
            [
                size.name,
                size.asked,
                size.base,
                size.merges,
                size.base + size.merges if known else None,
            ]
        )
    headings = [Column(name) for name in ("", "asked for", "base symbols", "merges", "vocabulary")]
    return Table("sizes", "Sizes of the vocabularies", headings, rows)


def size_of(name: str, learning: _Learning) -> Size:
    """The size of one vocabulary: from its codes if they are learned, or else from the text."""
    metadata = Path(f"{learning.codes}.json")
    learned = None
    if metadata.exists():
        content = json.loads(metadata.read_text(encoding="utf-8"))
        base = _BYTES if learning.unit == "byte" else len(content.get("alphabet") or ()) or None
        learned = content.get("merges_learned")
    else:
        base = _base_symbols(learning)
    left = learning.asked
    if learning.total:
        left = None if base is None else learning.asked - base
    return Size(name, learning.asked, base, left if learned is None else learned, left)


def _base_symbols(learning: _Learning) -> Optional[int]:
    """Bytes; or the characters of the text, each once more where it ends a word.

    SentencePiece has no such copies, but a symbol for spaces.
    """
    if learning.unit == "byte":
        return _BYTES
    try:
        texts = [Path(name) for name in expand(learning.texts)]
    except ValueError:  # a pattern that matches nothing: the text is not there yet
        return None
    if not all(path.exists() for path in texts):
        return None
    words = [word for word, _ in count_words(texts).items()]
    inside = {character for word in words for character in word[:-1]}
    final = {word[-1] for word in words}
    if learning.trainer == "sentencepiece":
        return len(inside | final) + 1
    return len(inside) + len(final)


def _learning(command: Command) -> Optional[_Learning]:
    """What a command learns; None if it does not."""
    pieces = command.argv[:4] == tool("text.pieces", "learn").argv
    if command.argv[:2] != ("fairseq-subword", "learn-bpe") and not pieces:
        return None
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-s", "--symbols", type=int, default=0)
    parser.add_argument("--total-symbols", action="store_true")
    parser.add_argument("--unit", default="char")
    parser.add_argument("--trainer", default="native")
    parser.add_argument("-i", "--input", type=Path, nargs="+", default=[])
    parser.add_argument("-o", "--output", type=Path)
    found, _ = parser.parse_known_args(command.argv[2:])
    if pieces:
        found.trainer = "sentencepiece"
    total = found.total_symbols or found.trainer == "sentencepiece"
    return _Learning(found.symbols, total, found.unit, found.trainer, found.input, found.output)
