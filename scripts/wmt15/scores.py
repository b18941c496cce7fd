#!/usr/bin/env python3
"""Joins the scores of one system into the scores.json of the table (see ../recipes/table.py).

    scores.py -o scores.json SYSTEM_FOLDER

SYSTEM_FOLDER has detokenized.json and tokenized.json of `fairseq-subword score`, each with what one model
(decoding=single) and, where there is one, the ensemble (decoding=ensemble) translated. As in the paper, F1
is the ensemble's; where there is none, it is the single model's, and the metric's name says so.
"""

import sys
from pathlib import Path
from typing import Dict

from scores_file import write_scores
from script import make_parser, run_script

from fairseq_subword_ext.evaluation.score_record import ScoreRecord, SystemRecord

COLUMNS = {"single": "single", "ensemble": "ens-8"}
CLASSES = {"all": "F1 all", "rare": "F1 rare", "oov": "F1 OOV"}
Figures = Dict[str, Dict[str, float]]


def read_decodings(path: Path) -> Dict[str, SystemRecord]:
    """What a file scores, by its setting ``decoding``.

    Raises:
        ValueError: If the file is none of ``score --json``, or lacks the setting.
    """
    found = {}
    for system in ScoreRecord.load(path).systems:
        decoding = system.settings.get("decoding")
        if decoding not in COLUMNS:
            raise ValueError(f"{path}: {system.name} has decoding {decoding!r}; score it again")
        found[decoding] = system
    return found


def collect(folder: Path) -> Dict[str, dict]:
    """Gives the content of scores.json.

    Raises:
        ValueError: As for :func:`read_decodings`.
        OSError: If a file cannot be read.
    """
    running, tokens = (
        read_decodings(folder / f"{name}.json") for name in ("detokenized", "tokenized")
    )
    figures: Figures = {}
    signatures = {}
    for decoding, column in COLUMNS.items():
        if decoding not in running:
            continue
        for metric in ("BLEU", "chrF3"):
            figures.setdefault(f"{metric} {column}", {})["detokenized"] = running[decoding].scores[
                metric
            ]
            signatures["detokenized"] = ", ".join(
                f"{name} {running[decoding].signatures[name]}" for name in ("BLEU", "chrF3")
            )
        figures[f"BLEU {column}"]["tokenized"] = tokens[decoding].scores["BLEU"]
        signatures["tokenized"] = f"BLEU {tokens[decoding].signatures['BLEU']}"
    best = "ensemble" if "ensemble" in tokens else "single"
    metric = "tokenized" if best == "ensemble" else "F1 of the single model"
    for name, column in CLASSES.items():
        f1 = tokens[best].words.get(name, {}).get("f1")
        if f1 is not None:
            figures.setdefault(column, {})[metric] = f1
    signatures.setdefault(metric, "unigram F1 of Moses' tokens")
    return {"figures": figures, "signatures": signatures}


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    return run_script(parser, lambda args: write_scores(args.output, collect(args.folder)))


if __name__ == "__main__":
    sys.exit(main())
