"""The page's section on scores: a table, and the pictures that the systems' settings allow."""

from collections.abc import Sequence
from typing import List, Optional, Tuple

from fairseq_subword_ext.evaluation.score_record import ScoreRecord, joined, shown_digits
from fairseq_subword_ext.reports.drawing import settle
from fairseq_subword_ext.reports.score_plots import CONTEXT, MERGES, draw_context, draw_merges
from fairseq_subword_ext.reports.statistics_plots import Picture
from fairseq_subword_ext.textio.files import PathLike
from fairseq_subword_ext.textio.tables import Column, Table

_METRIC = "BLEU"


def read_scores(paths: Sequence[PathLike]) -> Tuple[Optional[Table], List[Picture]]:
    """Reads files written by ``fairseq-subword score --json``.

    Returns:
        The scores of all systems; BLEU against the number of merges (Wu & Zhao 2018, Figures 1 and 3) if
        systems have that setting, and BLEU by contextualizer (Wang, Cho & Gu 2020, Figure 4) if they have
        that one. Nothing if there are no paths.

    Raises:
        ValueError: If a file has no scores, or the scores are of different texts.
        OSError: If a file cannot be read.
    """
    if not paths:
        return None, []
    record = joined([ScoreRecord.load(path) for path in paths])
    pictures = []
    for setting, title, draw in (
        (MERGES, "BLEU by number of merges", draw_merges),
        (CONTEXT, "BLEU by contextualizer", draw_context),
    ):
        systems = [
            system
            for system in record.systems
            if setting in system.settings and _METRIC in system.scores
        ]
        if len(systems) > 1:
            pictures.append(Picture(setting, title, settle(draw(systems, _METRIC))))
    return _table(record), pictures


def _table(record: ScoreRecord) -> Table:
    metrics = list(dict.fromkeys(name for system in record.systems for name in system.scores))
    columns = [Column("System"), *(Column(metric, shown_digits(metric)) for metric in metrics)]
    rows = [[s.name, *(s.scores.get(metric) for metric in metrics)] for s in record.systems]
    signatures = dict.fromkeys(
        f"{metric}: {signature}"
        for system in record.systems
        for metric, signature in system.signatures.items()
    )
    return Table("scores", "Scores of translations", columns, rows, list(signatures))
