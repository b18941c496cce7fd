#!/usr/bin/env python3
"""Scores the output of fairseq-generate against the raw text, per language and overall.

Each score is shown beside the score of copying the source, the baseline for names. The references are
the raw files, never text that has been segmented.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence

from checks import read_pairs
from generated import align, read_output
from sacrebleu.metrics import BLEU, CHRF
from sources import Pair
from splits import fraction

from fairseq_subword_ext.textio.files import atomic_text_writer

SAMPLES = 10
NAMES = ("exact match", "chrF", "BLEU")  # names of the scores, in order


class Scores(NamedTuple):
    """Scores of one set of translations, in percent."""

    exact: float
    chrf: float
    bleu: float


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--system", type=Path, required=True, help="output of fairseq-generate")
    parser.add_argument(
        "--corpus", type=Path, required=True, help="folder with the raw SPLIT.xx-en.xx, .en files"
    )
    parser.add_argument("--split", default="test", help="split to score (default: %(default)s)")
    parser.add_argument(
        "--langs",
        help="languages in the order in which the task read them, separated by commas "
        "(default: all in the folder, sorted, as multilingual_x_en reads them)",
    )
    parser.add_argument("--json", type=Path, help="also write the scores to this file")
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of the sample lines (default: %(default)s)"
    )
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    args = build_parser().parse_args(argv)
    try:
        run(args)
    except (ValueError, OSError) as error:
        print(f"score.py: error: {error}", file=sys.stderr)
        return 1
    return 0


def run(args: argparse.Namespace) -> None:
    """Reads and aligns both sides, and prints the table and the sample lines."""
    languages = args.langs.split(",") if args.langs else find_languages(args.corpus, args.split)
    raw = {language: read_pairs(args.corpus, args.split, language) for language in languages}
    translations = align(args.system, read_output(args.system), raw)
    metrics = {"chrF": CHRF(), "BLEU": BLEU()}
    table = {}
    for language, pairs in raw.items():
        if pairs:  # in a small test set, a language may have no lines
            table[language] = compare(pairs, translations[language], metrics)
    everything = [pair for pairs in raw.values() for pair in pairs]
    table["all"] = compare(
        everything, [t for lines in translations.values() for t in lines], metrics
    )
    print_table(table, {language: len(pairs) for language, pairs in raw.items()})
    signatures = {name: str(metric.get_signature()) for name, metric in metrics.items()}
    for name, signature in signatures.items():
        print(f"{name}: {signature}")
    print_samples(raw, translations, args.seed)
    if args.json:
        write_json(args.json, table, signatures)


def find_languages(folder: Path, split: str) -> List[str]:
    """The languages that have this split in the folder, sorted.

    Raises:
        ValueError: If there is none.
    """
    suffix = "-en.en"
    names = [path.name for path in folder.glob(f"{split}.*{suffix}")]
    if not names:
        raise ValueError(f"no {split}.xx{suffix} file in {folder}")
    return sorted(name[len(split) + 1 : -len(suffix)] for name in names)


def compare(pairs: List[Pair], translations: List[str], metrics: dict) -> Dict[str, Scores]:
    """Scores the system and the copied sources against the same references."""
    references = [pair.english for pair in pairs]
    sources = [pair.source for pair in pairs]
    return {
        "system": score(translations, references, metrics),
        "copy": score(sources, references, metrics),
    }


def score(translations: List[str], references: List[str], metrics: dict) -> Scores:
    """Exact match, chrF and BLEU of a whole set of translations."""
    equal = sum(
        text.strip() == reference.strip() for text, reference in zip(translations, references)
    )
    return Scores(
        100 * equal / len(references),
        metrics["chrF"].corpus_score(translations, [references]).score,
        metrics["BLEU"].corpus_score(translations, [references]).score,
    )


def print_table(table: Dict[str, Dict[str, Scores]], lines: Dict[str, int]) -> None:
    print(f"{'':<14}{'exact match %':^16}{'chrF':^16}{'BLEU':^16}".rstrip())
    print(f"{'':<8}{'lines':>6}" + f"{'system':>8}{'copy':>8}" * len(Scores._fields))
    for language, row in table.items():
        count = sum(lines.values()) if language == "all" else lines[language]
        figures = "".join(
            f"{s:>8.1f}{'  <' if s < c else '   '}{c:>5.1f}"
            for s, c in zip(row["system"], row["copy"])
        )
        print(f"{language:<8}{count:>6}{figures}")
    below = below_copying(table["all"])
    if below:
        print(
            f"< Over all languages, worse than copying the source: {', '.join(below)}; train longer."
        )


def below_copying(row: Dict[str, Scores]) -> List[str]:
    """Descriptions of the scores in which a system is worse than copying the source."""
    return [
        f"{name} {ours:.1f} (copying: {copied:.1f})"
        for name, ours, copied in zip(NAMES, row["system"], row["copy"])
        if ours < copied
    ]


def print_samples(
    raw: Dict[str, List[Pair]], translations: Dict[str, List[str]], seed: int
) -> None:
    """Prints sample lines drawn by the seed, from as many languages as possible."""
    drawn = sorted(
        (position, fraction(seed, "language", language), language, line)
        for language, pairs in raw.items()
        for position, line in enumerate(_draw(language, len(pairs), seed))
    )
    for _, _, language, line in drawn[:SAMPLES]:
        source, reference = raw[language][line]
        print(f"\n{language:<8}source     {source}")
        print(f"{'':<8}output     {translations[language][line]}")
        print(f"{'':<8}reference  {reference}")


def _draw(language: str, lines: int, seed: int) -> List[int]:
    ranked = sorted(range(lines), key=lambda line: fraction(seed, "line", language, str(line)))
    return ranked[:SAMPLES]


def write_json(path: Path, table: Dict[str, Dict[str, Scores]], signatures: Dict[str, str]) -> None:
    record = {
        "scores": {
            language: {who: scores._asdict() for who, scores in row.items()}
            for language, row in table.items()
        },
        "signatures": signatures,
    }
    with atomic_text_writer(path) as stream:
        json.dump(record, stream, indent=1)
        stream.write("\n")


if __name__ == "__main__":
    sys.exit(main())
