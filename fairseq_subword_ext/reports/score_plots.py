"""Draws scores from the files that ``fairseq-subword score --json`` writes.

Systems are placed by their settings (``--set``): ``merges`` is the x-axis of the first picture,
``context`` selects a bar in the second, and systems that differ only in ``seed`` become one point or bar
with its range. The remaining settings name the line or the group of bars.
"""

import math
from collections import defaultdict
from statistics import mean
from typing import TYPE_CHECKING, Dict, List, Optional, Sequence, Tuple

from fairseq_subword_ext.evaluation.score_record import Setting, SystemRecord
from fairseq_subword_ext.reports.drawing import COLOURS, MARKERS, load_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MERGES, CONTEXT, SEED = "merges", "context", "seed"

# The order of the paper's figure; others follow in alphabetical order.
_CONTEXTS = ("none", "conv", "gru")

_HATCHES = ("", "//", "..", "xx", "\\\\", "--", "++")


def draw_merges(systems: Sequence[SystemRecord], metric: str = "BLEU") -> "Figure":
    """Draws the score against the number of merges, one line per way of choosing merges.

    In the style of Wu & Zhao 2018, Figures 1 and 3, where the lines are goodness measures.

    Args:
        systems: systems with the setting ``merges``.
        metric: the score to draw.

    Raises:
        ValueError: If a system lacks the number of merges or the score, or matplotlib is missing.
    """
    figure, axes = _figure()
    lines: Dict[str, Dict[float, List[float]]] = defaultdict(lambda: defaultdict(list))
    for system in systems:
        merges = _setting(system, MERGES)
        if isinstance(merges, str):
            raise ValueError(
                f"system {system.name!r}: {MERGES}={merges!r} is not a number, as in merges=10000"
            )
        lines[_rest(system, MERGES)][merges].append(_score(system, metric))
    for number, (label, points) in enumerate(lines.items()):
        places = sorted(points)
        middles, ranges = _means_and_ranges([points[place] for place in places])
        axes.errorbar(
            places,
            middles,
            yerr=ranges,
            label=label or metric,
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            capsize=3,
        )
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}K" if value else "0")
    axes.set_xticks(sorted({place for points in lines.values() for place in points}))
    axes.set_xlabel("merges")
    axes.set_ylabel(metric)
    axes.grid(alpha=0.3)
    _add_legend(axes, [label for label in lines if label])
    return figure


def draw_context(
    systems: Sequence[SystemRecord], metric: str = "BLEU", setting: str = CONTEXT
) -> "Figure":
    """Draws bars of the score by contextualizer, one group per vocabulary.

    In the style of Wang, Cho & Gu 2020, Figure 4 (none, convolution, Bi-GRU), and with another setting, such as
    the measure of one side, of Wu & Zhao 2018, Figure 3. Differences are small
    compared to the scores, so the axis starts above zero, as its label says.

    Args:
        systems: systems with the setting.
        metric: the score to draw.
        setting: the one that selects a bar of a group.

    Raises:
        ValueError: If a system lacks the setting or the score, or matplotlib is missing.
    """
    figure, axes = _figure()
    scores: Dict[Tuple[str, str], List[float]] = defaultdict(list)
    for system in systems:
        key = (_rest(system, setting), str(_setting(system, setting)))
        scores[key].append(_score(system, metric))
    groups = list(dict.fromkeys(group for group, _ in scores))
    found = {context for _, context in scores}
    contexts = [name for name in _CONTEXTS if name in found] + sorted(found - {*_CONTEXTS})
    width = 0.8 / len(contexts)
    for number, context in enumerate(contexts):
        present = [index for index, group in enumerate(groups) if (group, context) in scores]
        heights, ranges = _means_and_ranges([scores[groups[index], context] for index in present])
        offset = (number - (len(contexts) - 1) / 2) * width
        bars = axes.bar(
            [index + offset for index in present],
            heights,
            width,
            yerr=ranges,
            label=context,
            color=COLOURS[number % len(COLOURS)],
            hatch=_HATCHES[number % len(_HATCHES)],
            edgecolor="white",
            capsize=3,
        )
        axes.bar_label(bars, fmt="%.2f", padding=2, fontsize="small")
    bottom = _bottom([value for values in scores.values() for value in values])
    axes.set_ylim(bottom=bottom)
    axes.margins(y=0.15)
    axes.set_xticks(range(len(groups)), groups)
    axes.set_ylabel(f"{metric} (axis from {bottom})" if bottom else metric)
    _add_legend(axes, contexts)
    return figure


def _figure():
    load_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _setting(system: SystemRecord, key: str) -> Setting:
    if key not in system.settings:
        raise ValueError(
            f"system {system.name!r} has no setting {key!r}; give it when scoring, as in "
            f"`score --set {key}=...`"
        )
    return system.settings[key]


def _score(system: SystemRecord, metric: str) -> float:
    if metric not in system.scores:
        raise ValueError(f"system {system.name!r} has no {metric}, only {', '.join(system.scores)}")
    return system.scores[metric]


def _rest(system: SystemRecord, axis: str) -> str:
    """The values of all settings except the seed and the one on the axis."""
    return ", ".join(
        str(value) for key, value in system.settings.items() if key not in (axis, SEED)
    )


def _means_and_ranges(
    groups: Sequence[Sequence[float]],
) -> Tuple[List[float], Optional[List[List[float]]]]:
    """Means, and their distances down to the minimum and up to the maximum.

    There are no distances if every group has a single value.
    """
    middles = [mean(values) for values in groups]
    if all(len(values) == 1 for values in groups):
        return middles, None
    down = [middle - min(values) for middle, values in zip(middles, groups)]
    up = [max(values) - middle for middle, values in zip(middles, groups)]
    return middles, [down, up]


def _bottom(values: Sequence[float]) -> int:
    """The start of the axis: an integer below all values that keeps the differences visible."""
    low, high = min(values), max(values)
    return max(0, math.floor(low - max(1.0, 0.5 * (high - low))))


def _add_legend(axes, labels: Sequence[str]) -> None:
    if labels:
        axes.legend(frameon=False)
