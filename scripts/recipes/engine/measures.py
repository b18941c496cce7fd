"""What the two corpora of Wu & Zhao 2018 have in common: goodness measures compared with one model."""

from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.textio.tables import Column, Table
from recipes.engine.corpus import count_lines
from recipes.engine.pair import Decoding, PairRecipe
from recipes.engine.pictures import bars, lines, records
from recipes.engine.run import Run
from recipes.engine.steps import Step
from recipes.engine.systems import System


class MeasureRecipe(PairRecipe):
    """Moses tokens, greedily and with a beam of 10, and Figure 2 for every segmentation that is learned."""

    paper = "Wu & Zhao 2018"
    moses = True
    decodings = (
        Decoding("greedy", "test", ("--beam", "1")),
        Decoding("beam10", "test", ("--beam", "10")),
    )
    devices = 1  # the paper's batch is a number of sentences; several GPUs share it

    def steps(self, run: Run, systems: Sequence[System]) -> List[Step]:
        """Without rows: the corpus, and the codes of all rows for Figure 2."""
        if systems:
            return super().steps(run, systems)
        learned = [step for row in self.systems(run) for step in self.learn_steps(run, row)]
        return [*self.corpus_steps(run), *learned]

    def notes(self, system: System) -> List[str]:
        merges = f"merges={_value(system.flags('learn'), '-s')}"
        source, target = _measure(system.flags("learn")), _measure(system.flags("learn_target"))
        if target:
            return [f"source_measure={source}", f"target_measure={target}", merges]
        return [f"measure={system['across']}", merges]

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        return [*super().tables(run, systems), *splitting_tables(self.splittings(run, systems))]

    def pictures(self, run: Run, systems: Sequence[System]) -> List[Path]:
        """Figure 1, lines over merges; for sides with their own measures Figure 3, bars by the target's measure."""
        written: List[Path] = []
        for column in self.columns():
            found = records(run, systems, column.name, self.metric, self.placed)
            prefix = run.work / f"figure.{column.name}"
            if found and "target" in found[0].settings:
                written += bars(found, self.metric, "target", prefix)
            else:
                written += lines(found, self.metric, prefix)
        return written

    def placed(self, system: System) -> Dict[str, object]:
        """The settings that place a row in the figure."""
        if system["learn_target"]:
            source, target = _measure(system.flags("learn")), _measure(system.flags("learn_target"))
            return {"source": f"{source} (source)", "target": f"{target} (target)"}
        return {"measure": system["across"], "merges": int(_value(system.flags("learn"), "-s"))}

    def splittings(
        self, run: Run, systems: Sequence[System]
    ) -> Iterator[Tuple[System, "Splitting"]]:
        """How much each row's codes, once learned, split the training text."""
        if not run.corpus.is_dir():
            return
        texts = [self.text(run, "train", systems[0], side) for side in (0, 1)]
        counts = [dict(count_words([path]).items()) for path in texts]
        sentences = sum(map(count_lines, texts))
        for system in systems:
            codes = run.segmentation(system) / "codes"
            if codes.exists():
                sides = [codes, self.target_codes(run, system)]
                yield system, splitting(sides, counts, sentences)


class Splitting(NamedTuple):
    """How much a segmentation splits a text.

    Attributes:
        split: words that stay split, per sentence.
        increase: by how many percent a sentence is longer in subwords than in words.
    """

    split: float
    increase: float


def splitting(codes: Sequence[Path], counts: Sequence[Dict[str, int]], sentences: int) -> Splitting:
    """Segments every word type once, and counts it as often as it occurs.

    Args:
        codes: of each side.
        counts: words of each side.
        sentences: of both sides.
    """
    words = split = symbols = 0
    for path, side in zip(codes, counts):
        pieces = Segmenter(MergeTable.load(path)).segment_lines(list(side))
        for line, count in zip(pieces, side.values()):
            length = line.count(" ") + 1
            words += count
            symbols += count * length
            split += count * (length > 1)
    return Splitting(split / sentences, 100 * (symbols / words - 1))


def splitting_tables(found: Iterator[Tuple[System, Splitting]]) -> List[Table]:
    """Both halves of Figure 2, merges down and measures across; nothing if no codes are learned."""
    cells: Dict[str, Dict[str, Splitting]] = {}
    for system, value in found:
        cells.setdefault(system["down"], {})[system["across"]] = value
    across = list(dict.fromkeys(name for row in cells.values() for name in row))
    headings = [Column("")]

    def table(key: str, title: str, digits: int) -> Table:
        rows = [
            [down, *(getattr(row[name], key) if name in row else None for name in across)]
            for down, row in cells.items()
        ]
        return Table(key, title, headings + [Column(name, digits) for name in across], rows)

    if not cells:
        return []
    return [
        table(
            "split",
            "Figure 2: split words per sentence (in the paper AV' is between DLG' and FRQ')",
            2,
        ),
        table("increase", "Figure 2: increase in sentence length by subwords, percent", 1),
    ]


def _value(flags: Sequence[str], name: str) -> str:
    return flags[flags.index(name) + 1] if name in flags else ""


def _measure(flags: Sequence[str]) -> str:
    return _value(flags, "--measure")
