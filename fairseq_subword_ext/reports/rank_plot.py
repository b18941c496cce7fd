"""Draws unigram F1 by frequency rank: Sennrich, Haddow & Birch 2016, Figures 2 and 3."""

import math
from typing import TYPE_CHECKING, Any, List, Mapping, Sequence

from fairseq_subword_ext.evaluation.score_record import SystemRecord
from fairseq_subword_ext.reports.drawing import COLOURS, MARKERS, load_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_ranks(systems: Sequence[SystemRecord]) -> "Figure":
    """Draws F1 against the rank of words in the training text, one line per system.

    Each point is in the middle of its group of ranks on the logarithmic axis; OOV words, which have no
    rank, are set apart on the right.

    Args:
        systems: systems with ``ranks``.

    Raises:
        ValueError: If a system has no ranks, or matplotlib is missing.
    """
    load_matplotlib()
    from matplotlib.figure import Figure

    for system in systems:
        if not system.ranks:
            raise ValueError(
                f"system {system.name!r} has no F1 by rank: score it with the training text "
                "(--train)"
            )
    last = max(
        (group["last"] for system in systems for group in system.ranks if group["last"]), default=1
    )
    oov_place = 4 * last
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for number, system in enumerate(systems):
        style = {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
        }
        ranked = [group for group in system.ranks if group["first"] is not None]
        axes.plot([_middle(g) for g in ranked], _f1(ranked), label=system.name, **style)
        oov = [group for group in system.ranks if group["first"] is None]
        axes.plot([oov_place] * len(oov), _f1(oov), linestyle="none", **style)
    axes.set_xscale("log")
    ticks = [10**power for power in range(int(math.log10(last)) + 1)]
    axes.set_xticks([*ticks, oov_place], [*(f"{tick:,}" for tick in ticks), "OOV"])
    axes.minorticks_off()
    axes.axvline(2 * last, color="#999999", linewidth=0.8, linestyle=":")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("frequency rank in the training text (groups: powers of two)")
    axes.set_ylabel("unigram F1")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return figure


def _middle(group: Mapping[str, Any]) -> float:
    return math.sqrt(group["first"] * group["last"])


def _f1(groups: Sequence[Mapping[str, Any]]) -> List[float]:
    return [group["f1"] for group in groups]
