"""Learning curves: validation losses over updates, read from the logs of trainings."""

import re
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Callable, Dict, List, Sequence, Tuple

from fairseq_subword_ext.reports.drawing import COLOURS, MARKERS, load_matplotlib
from recipes.engine.pictures import save
from recipes.engine.run import Run
from recipes.engine.systems import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = Dict[int, float]  # update -> bits per symbol
_VALIDATION = re.compile(
    r"valid on 'valid' subset \| .*\bnll_loss ([-\d.e]+) .*\bnum_updates (\d+)"
)


def read_curve(folder: Path) -> Curve:
    """The validation losses of a system in its folder, in bits per symbol; a training may have been continued."""
    return {
        int(updates): float(loss)
        for log in sorted(folder.glob("hydra/*.log"))
        for loss, updates in _VALIDATION.findall(log.read_text(encoding="utf-8"))
    }


def curves_of(run: Run, system: System) -> List[Curve]:
    """The curves of all seeds that have been trained."""
    folders = [run.folder(system, 1), *(run.work / "systems").glob(f"{system.name}.seed*")]
    return [curve for curve in map(read_curve, folders) if curve]


def draw_curves(
    run: Run, systems: Sequence[System], place: Callable[[System], Tuple[str, str]], prefix: Path
) -> List[Path]:
    """Draws one curve per row: the mean over the seeds, and the range between the lowest and the highest.

    Args:
        run: the run.
        systems: the rows; those without logs are left out.
        place: the panel of a row, and its name there. Losses per symbol of different units cannot be compared.
        prefix: of the files.
    """
    panels: Dict[str, Dict[str, List[Curve]]] = defaultdict(dict)
    for system in systems:
        found = curves_of(run, system)
        if found:
            panel, label = place(system)
            panels[panel][label] = found
    return save(lambda: _figure(panels), panels, prefix)


def _figure(panels: Dict[str, Dict[str, List[Curve]]]) -> "Figure":
    load_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.6 * len(panels) + 0.4, 3.6), layout="constrained")
    for axes, (panel, rows) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels.items()
    ):
        for number, (label, curves) in enumerate(rows.items()):
            colour = COLOURS[number % len(COLOURS)]
            updates = sorted(set.intersection(*map(set, curves)))
            values = [[curve[update] for curve in curves] for update in updates]
            axes.plot(
                updates, [mean(each) for each in values], label=label, color=colour,
                marker=MARKERS[number % len(MARKERS)], markersize=3,
            )  # fmt: skip
            axes.fill_between(
                updates, [min(each) for each in values], [max(each) for each in values],
                color=colour, alpha=0.2, linewidth=0,
            )  # fmt: skip
        axes.set_title(panel)
        axes.set_xlabel("updates")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    figure.axes[0].set_ylabel("validation loss, bits per symbol")
    return figure
