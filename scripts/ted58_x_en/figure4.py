#!/usr/bin/env python3
"""Wang, Cho & Gu 2020, Figure 4: what contextualized embeddings bring to each vocabulary.

    figure4.py systems.tsv --work WORK [--draw PREFIX]

Prints, for every vocabulary, the BLEU of none, conv and gru on the validation set and by how many percent
the last two are better than none; reads WORK/systems/SYSTEM/valid.json, which `fairseq-subword score
--json` wrote. --draw needs matplotlib (the extra plots). The paper prints no numbers; it says that all
vocabularies gain, bytes, characters and BBPE most, and BBPE over 4 % by the Bi-GRU.
"""

import argparse
import sys
from pathlib import Path
from typing import Dict, List

from script import make_parser, run_script
from systems import read_systems

from fairseq_subword_ext.evaluation.score_record import ScoreRecord, SystemRecord
from fairseq_subword_ext.reports.drawing import save_figure
from fairseq_subword_ext.reports.score_plots import draw_context
from fairseq_subword_ext.textio.tables import text_lines

CONTEXTS = ("none", "conv", "gru")


def read_figure(systems_file: Path, work: Path) -> Dict[str, Dict[str, SystemRecord]]:
    """The systems that were scored, by vocabulary and context, in the order of systems.tsv.

    Raises:
        ValueError: If a file is none of ``score --json``.
    """
    figure: Dict[str, Dict[str, SystemRecord]] = {}
    for system in read_systems(systems_file):
        row = figure.setdefault(system.columns["vocabulary"], {})
        path = work / "systems" / system.name / "valid.json"
        if path.exists():
            (row[system.columns["context"]],) = ScoreRecord.load(path).systems
    return figure


def lines_of(figure: Dict[str, Dict[str, SystemRecord]]) -> List[str]:
    """The figure as a table, and the signatures of its scores."""
    rows = [["BLEU, validation", *CONTEXTS]]
    signatures = {}
    for vocabulary, row in figure.items():
        scores = {context: record.scores["BLEU"] for context, record in row.items()}
        rows.append([vocabulary, *(cell_of(scores, context) for context in CONTEXTS)])
        signatures.update({record.signatures["BLEU"]: None for record in row.values()})
    return [*text_lines(rows), *(f"tokenized BLEU: {signature}" for signature in signatures)]


def cell_of(scores: Dict[str, float], context: str) -> str:
    """A score, with what it gains over no context in percent."""
    if context not in scores:
        return "-"
    plain = scores.get("none")
    if context == "none" or not plain:
        return f"{scores[context]:.2f}"
    return f"{scores[context]:.2f} ({100 * (scores[context] / plain - 1):+.1f} %)"


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("systems", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--draw", metavar="PREFIX", help="also draw PREFIX.png and PREFIX.svg")
    return run_script(parser, run)


def run(args: argparse.Namespace) -> None:
    figure = read_figure(args.systems, args.work)
    print("\n".join(lines_of(figure)))
    if args.draw:
        records = [record for row in figure.values() for record in row.values()]
        if not records:
            raise ValueError(f"--draw {args.draw}: no system was scored yet in {args.work}")
        for path in save_figure(draw_context(records), args.draw):
            print(path)


if __name__ == "__main__":
    sys.exit(main())
