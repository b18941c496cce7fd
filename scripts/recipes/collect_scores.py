#!/usr/bin/env python3
"""Joins what `fairseq-subword score --json` wrote for one system into the scores.json of the tables.

    collect_scores.py -o scores.json tokenized=tokenized.json detokenized=detokenized.json

What a file calls systems are the ways of decoding one system; their setting "decoding" (score's --set) is
the column of the table. The word before = says how their BLEU was measured; METRIC/SCORE=FILE takes another
score of the file than BLEU, as in "chrF3/chrF3=scores.json".
"""

import sys
from pathlib import Path
from typing import Dict, Sequence

from scores_file import write_scores
from script import make_parser, run_script

from fairseq_subword_ext.evaluation.score_record import ScoreRecord


def collect(arguments: Sequence[str]) -> Dict[str, dict]:
    """Gives the content of scores.json, as table.py describes it.

    Raises:
        ValueError: If an argument has no ``=``, or a file is not from ``score --json`` or lacks the setting
            or the score.
        OSError: If one cannot be read.
    """
    figures: Dict[str, Dict[str, float]] = {}
    signatures: Dict[str, str] = {}
    for argument in arguments:
        what, separator, path = argument.partition("=")
        if not separator:
            raise ValueError(f"{argument}: expected METRIC=FILE or METRIC/SCORE=FILE")
        metric, _, score = what.partition("/")
        for system in ScoreRecord.load(path).systems:
            if "decoding" not in system.settings:
                raise ValueError(f"{path}: {system.name} has no setting decoding; score it again")
            if (score or "BLEU") not in system.scores:
                raise ValueError(
                    f"{path}: {system.name} has no {score}: {', '.join(system.scores)}"
                )
            column = figures.setdefault(str(system.settings["decoding"]), {})
            column[metric] = system.scores[score or "BLEU"]
            signatures[metric] = system.signatures[score or "BLEU"]
    return {"figures": figures, "signatures": signatures}


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("scores", nargs="+", metavar="METRIC[/SCORE]=FILE")
    parser.add_argument("-o", "--output", type=Path, required=True)
    return run_script(parser, lambda args: write_scores(args.output, collect(args.scores)))


if __name__ == "__main__":
    sys.exit(main())
