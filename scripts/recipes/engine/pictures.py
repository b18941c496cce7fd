"""The papers' figures of scores, drawn from those found here."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Sized

from fairseq_subword_ext.evaluation.score_record import SystemRecord
from fairseq_subword_ext.reports.drawing import save_figure
from fairseq_subword_ext.reports.score_plots import SEED, draw_context, draw_merges
from recipes.engine.run import Run
from recipes.engine.scores import Results
from recipes.engine.systems import System

Settings = Callable[[System], Dict[str, object]]


def records(
    run: Run, systems: Sequence[System], column: str, metric: str, settings: Settings
) -> List[SystemRecord]:
    """The scores of all systems and seeds, with the settings that place them in a picture.

    Args:
        run: the run.
        systems: the rows; those without scores are left out.
        column: of the table.
        metric: the score.
        settings: of a row; rows without settings are left out.
    """
    found = []
    for system in systems:
        for seed, scores in Results(run).of(system).items():
            value = scores.figures.get(column, {}).get(metric)
            if value is not None and settings(system):
                placed = {**settings(system), SEED: seed}
                found.append(SystemRecord(system.name, "", "", 0, placed, {metric: value}))
    return found


def lines(found: Sequence[SystemRecord], metric: str, prefix: Path) -> List[Path]:
    """Draws the scores against the number of merges; settings: ``merges``, and what names a line."""
    return save(lambda: draw_merges(found, metric), found, prefix)


def bars(found: Sequence[SystemRecord], metric: str, setting: str, prefix: Path) -> List[Path]:
    """Draws bars by one setting, in groups by the others."""
    return save(lambda: draw_context(found, metric, setting), found, prefix)


def save(draw: Callable, found: Sized, prefix: Path) -> List[Path]:
    """Draws and writes a picture, unless nothing is found or matplotlib is missing; returns the files."""
    if not found:
        return []
    if find_spec("matplotlib") is None:
        print(f"{prefix.name} is not drawn: it needs matplotlib (the extra plots)", file=sys.stderr)
        return []
    return save_figure(draw(), prefix)
