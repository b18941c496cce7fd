"""Pairs each language of the TED talks (Qi et al. 2018) with English.

    python -m recipes.engine.corpus ted58_x_en --raw DIR... --out DIR [--languages ar,de] [--lines N]

The source files are all_talks_train.tsv, all_talks_dev.tsv and all_talks_test.tsv: a header with talk_name and a code
for each language, then one row per sentence. Cells are separated by tabs, without quoting; a missing one is empty or
says __NULL__ (_ _ NULL _ _ after a tokenizer). The text is Moses tokens, and stays so.

"calv" is left out: it is not a language code, and without it there are the paper's 58 languages.
"""

import argparse
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence

from recipes.engine import pictures
from recipes.engine.corpus import Expected
from recipes.engine.recipe import option
from recipes.engine.run import Run
from recipes.engine.scores import Results
from recipes.engine.steps import Step
from recipes.engine.systems import System
from recipes.engine.tables import paper_table
from recipes.engine.x_en import XEnRecipe
from recipes.text.corpus_files import paths_of
from recipes.text.raw_text import find_file

from fairseq_subword_ext.textio.tables import Column, Table, Value, text_lines

FILES = {"train": "all_talks_train.tsv", "valid": "all_talks_dev.tsv", "test": "all_talks_test.tsv"}
ARCHIVE = "ted_talks.tar.gz"
TALK = "talk_name"
ENGLISH = "en"
NO_LANGUAGES = ("calv",)
MISSING = ("__NULL__", "_ _ NULL _ _")
TRAINING_PAIRS = {
    "Arabic": ("ar", "213K"), "German": ("de", "167K"), "Hebrew": ("he", "211K"), "Italian": ("it", "203K"),
    "Azerbaijani": ("az", "5.9K"), "Belarusian": ("be", "4.5K"), "Galician": ("gl", "10K"), "Slovak": ("sk", "61K"),
}  # fmt: skip

METRIC = "tokenized BLEU"
FIGURE = "valid.all"  # the column of Figure 4's scores
CONTEXTS = ("none", "conv", "gru")


class TedTalks(XEnRecipe):
    """Wang, Cho & Gu 2020, Table 7 and Figure 4."""

    name = "ted58_x_en"
    title = (
        "TED talks, 58 languages into English: byte-level subwords (Wang, Cho & Gu 2020, Table 7)"
    )
    paper = "Wang, Cho & Gu 2020, Table 7 and Figure 4"
    size = "5.1M pairs of 58 languages"
    moses = True
    options = (
        option("--figure4", "also translate the validation set, whose scores are Figure 4", action="store_true"),
    )  # fmt: skip
    expected = (
        Expected("all, train", "train.*-en.en", "lines", "5.1M"),
        Expected("all, development (22K of it are used)", "valid.*-en.en", "lines", "135K"),
        Expected("all, test", "test.*-en.en", "lines", "165K"),
        *(
            Expected(f"{name}, train", f"train.{code}-en.en", "lines", figure)
            for name, (code, figure) in TRAINING_PAIRS.items()
        ),
    )

    def translate_steps(self, run: Run, system: System, seed: int) -> List[Step]:
        steps = super().translate_steps(run, system, seed)
        if run.options.figure4:
            steps += self.translate_set(run, system, seed, "valid", "valid", "valid.")
        return steps

    def tables(self, run: Run, systems: Sequence[System]) -> List[Table]:
        shown = [system for system in systems if system["table"] == "7"]
        return [
            self.segmentations(run, systems),
            paper_table(run, shown, self.title, *self.metrics),
            figure4(run, systems),
        ]

    def pictures(self, run: Run, systems: Sequence[System]) -> List[Path]:
        def place(system: System) -> Dict[str, object]:
            return {name: system[name] for name in ("vocabulary", "context")}

        found = pictures.records(run, systems, FIGURE, METRIC, place)
        return pictures.bars(found, METRIC, "context", run.work / "figure4")


RECIPE = TedTalks()


def figure4(run: Run, systems: Sequence[System]) -> Optional[Table]:
    """BLEU of the validation set for each vocabulary and context, and the gain over no context."""
    results = Results(run)
    rows: Dict[str, Dict[str, float]] = {}
    for system in systems:
        row = rows.setdefault(system["vocabulary"], {})
        found = results.figure(system, FIGURE, METRIC)
        if found:
            row[system["context"]] = found.mean
    rows = {name: row for name, row in rows.items() if row}
    if not rows:
        return None

    def cell(scores: Dict[str, float], context: str) -> Value:
        if context not in scores:
            return "-"
        plain = scores.get("none")
        gain = f" ({100 * (scores[context] / plain - 1):+.1f} %)" if plain else ""
        return f"{scores[context]:.2f}{gain if context != 'none' else ''}"

    cells = [[name, *(cell(scores, one) for one in CONTEXTS)] for name, scores in rows.items()]
    signatures = results.signatures(list(systems), METRIC)
    return Table(
        "figure4", f"Figure 4: {METRIC} of the validation set by context",
        [Column(name) for name in ("vocabulary", *CONTEXTS)], cells,
        [f"{METRIC}: {signature}" for signature in signatures],
    )  # fmt: skip


def build(args: argparse.Namespace) -> None:
    """Writes all splits, and prints how many pairs each language has and what was left out."""
    counts = {}
    for split, name in FILES.items():
        limit = args.lines if split == "train" else None
        path = find_file(args.raw, [name], ARCHIVE)
        counts[split] = write_split(path, args.out, split, args.languages, limit)
    languages = [key for key in sorted(counts["train"]) if not key.startswith("*")]
    rows = [
        [language, *(str(counts[split][language]) for split in FILES)] for language in languages
    ]
    totals = (sum(counts[split][language] for language in languages) for split in FILES)
    print("\n".join(text_lines([["language", *FILES], *rows, ["all", *map(str, totals)]])))
    for what in sorted({key for split in counts.values() for key in split if key.startswith("*")}):
        print(f"{what[1:]}: {sum(split[what] for split in counts.values())}")


def write_split(
    path: Path, folder: Path, split: str, wanted: Sequence[str], limit: Optional[int]
) -> Counter:
    """Writes the pairs of one table.

    Returns:
        Pairs by language, and, after a *, what else happened.

    Raises:
        ValueError: If the table is damaged or empty, or lacks a language.
    """
    counts: Counter = Counter()
    with ExitStack() as stack:
        files: Dict[str, Sequence] = {}
        for row in read_rows(path):
            english = clean(row[ENGLISH], counts)
            if not files:
                for language in chosen(path, row, wanted):
                    pair = paths_of(folder, split, code(language))
                    files[language] = [
                        stack.enter_context(side.open("w", encoding="utf-8", newline="\n"))
                        for side in pair
                    ]
            if english is None:
                counts["*rows without English"] += 1
                continue
            for language, (source_file, english_file) in files.items():
                source = clean(row[language], counts)
                if source is None or (limit is not None and counts[code(language)] >= limit):
                    continue
                source_file.write(f"{source}\n")
                english_file.write(f"{english}\n")
                counts[code(language)] += 1
    if not files:
        raise ValueError(f"{path}: a header and no rows")
    return counts


def read_rows(path: Path) -> Iterator[Dict[str, str]]:
    """Yields the rows of a table, cells by the names in its header.

    Raises:
        ValueError: If the file is not such a table; the message has path and line.
        OSError: If it cannot be read.
    """
    header: List[str] = []
    with path.open("rb") as stream:  # only \n ends a line, whatever else the text holds
        for number, line in enumerate(stream, start=1):
            try:
                cells = line.decode("utf-8").rstrip("\r\n").split("\t")
            except UnicodeDecodeError as error:
                raise ValueError(f"{path}:{number}: not UTF-8 ({error})") from error
            if not header:
                header = cells
                if header[0] != TALK or ENGLISH not in header or len(set(header)) != len(header):
                    raise ValueError(
                        f"{path}:1: expected a header with {TALK}, {ENGLISH} and other languages, separated by "
                        f"tabs, found {line[:80]!r}"
                    )
            elif len(cells) != len(header):
                raise ValueError(
                    f"{path}:{number}: {len(cells)} cells, the header has {len(header)}: the file is "
                    "truncated or damaged; fetch it again"
                )
            else:
                yield dict(zip(header, cells))


def clean(cell: str, counts: Counter) -> Optional[str]:
    """The text of a cell without spaces at its ends; None if it is missing.

    A carriage return, at which some readers would split the line, becomes a space.
    """
    if any(mark in cell for mark in MISSING):
        return None
    if "\r" in cell:
        counts["*cells with a carriage return, now a space"] += 1
        cell = cell.replace("\r", " ")
    return cell.strip(" ") or None


def code(column: str) -> str:
    """The language's code in file names, where "-" stands between source and target: pt-br is pt_br."""
    return column.lower().replace("-", "_")


def chosen(path: Path, row: Dict[str, str], wanted: Sequence[str]) -> List[str]:
    """The columns to write.

    Raises:
        ValueError: If a language is missing.
    """
    columns = [name for name in row if name not in (TALK, ENGLISH, *NO_LANGUAGES)]
    if not wanted:
        return columns
    by_code = {code(name): name for name in columns}
    codes = list(dict.fromkeys(map(code, wanted)))
    missing = [name for name in codes if name not in by_code]
    if missing:
        raise ValueError(f"{path}: no column for {', '.join(missing)}; it has {', '.join(by_code)}")
    return [by_code[name] for name in codes]
