"""The two kinds of charts in a report: bars of a quantity, and lines through points."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional, Tuple

from fairseq_subword_ext.reports.corpus_statistics import Statistics
from fairseq_subword_ext.reports.drawing import COLOURS, MARKERS
from fairseq_subword_ext.reports.report import NO_SEGMENTATION, Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

UNSEGMENTED = "#8C959F"

_DASHES = ("-", "--", ":", "-.")

_WIDTH = 8.0  # inches
_BAR = 0.26
Value = Optional[float]


@dataclass(frozen=True)
class Panel:
    """Bars of one quantity.

    Attributes:
        title: the quantity, with its unit.
        value: gives the value for one text under one segmentation; None if there is none.
        digits: number of decimals to show.
        at_least: minimum range of the axis, even if all values are smaller.
    """

    title: str
    value: Callable[[Statistics], Value]
    digits: int = 1
    at_least: float = 0


def draw_bars(
    report: Report,
    panels: Sequence[Panel],
    raw: bool = False,
    languages: Optional[Sequence[str]] = None,
    names: Optional[Sequence[str]] = None,
) -> "Figure":
    """Horizontal bars: one panel per quantity, and one group per language if there are several."""
    from matplotlib.figure import Figure

    languages = report.languages if languages is None else languages
    names = report.names if names is None else names
    series = {name: [report.statistics[name, key] for key in languages] for name in names}
    colours = dict(zip(report.names, itertools.cycle(COLOURS)))
    if raw and report.raw:
        series = {NO_SEGMENTATION: [report.raw.get(key) for key in languages], **series}
        colours[NO_SEGMENTATION] = UNSEGMENTED
    several = len(languages) > 1
    step = len(series) + several
    rows = step * len(languages)
    figure = Figure(figsize=(_WIDTH, 0.9 + _BAR * rows), layout="constrained")
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, panel in zip(grid, panels):
        for number, (name, texts) in enumerate(series.items()):
            places = range(number, rows, step)
            _bar_series(axes, panel, texts, places, color=colours[name], label=name)
        axes.set_title(panel.title)
        axes.set_xlim(0, max(1.3 * axes.dataLim.xmax, panel.at_least) or 1)
        axes.xaxis.set_visible(False)
        axes.spines["bottom"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    if several:
        middle = (len(series) - 1) / 2
        grid[0].set_yticks([middle + place for place in range(0, rows, step)], languages)
        handles, labels = grid[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right upper", frameon=False)
    else:
        grid[0].set_yticks(range(len(series)), list(series))
    grid[0].set_ylim(rows - 0.4 - several, -0.6)
    return figure


def _bar_series(
    axes: "Axes",
    panel: Panel,
    texts: Sequence[Optional[Statistics]],
    places: Sequence[float],
    **style: str,
) -> None:
    """The bars of one segmentation; a dash marks a missing value."""
    values = [None if text is None else panel.value(text) for text in texts]
    bars = axes.barh(places, [value or 0 for value in values], height=0.8, **style)
    shown = ["–" if value is None else f"{value:,.{panel.digits}f}" for value in values]
    axes.bar_label(bars, shown, padding=3)


def draw_lines(report: Report, series: Sequence[dict]) -> Tuple["Figure", "Axes"]:
    """Draws one line per segmentation through its points."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, 3.6), layout="constrained")
    axes = figure.add_subplot()
    for number, (name, points) in enumerate(zip(report.names, series)):
        axes.plot(
            list(points),
            list(points.values()),
            label=name,
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            linestyle=_DASHES[number // len(COLOURS) % len(_DASHES)],
        )
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    figure.legend(loc="outside right upper", frameon=False)
    return figure, axes
