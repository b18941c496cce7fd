"""Advice on the number of merges as a table, as data and as a picture."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Dict, Sequence

from fairseq_subword_ext.reports.drawing import COLOURS, MARKERS, load_matplotlib
from fairseq_subword_ext.reports.size_advice import FREQUENT, SHARE, SizeAdvice
from fairseq_subword_ext.textio.tables import Column, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FREQUENT_TITLE = f"Symbols that occur {FREQUENT} times, % (dashed: made by merges)"


def size_table(advice: SizeAdvice, dimension: int) -> Table:
    """Returns one row per size, with the recommended one marked."""
    columns = [
        Column("Merges"),
        Column(""),
        Column("Symbols"),
        Column("In use"),
        Column("Tokens per sentence", 1),
        Column("Tokens per word", 2),
        Column("Whole words, %", 1),
        Column(f"{FREQUENT}+ times, %", 1),
        Column("Rényi efficiency", 3),
        Column(f"Embedding ({dimension})"),
    ]
    chosen = advice.recommendation
    rows = [
        (
            size.merges,
            "*" if size.merges == chosen.merges else "",
            size.symbols,
            size.used,
            size.tokens_per_sentence,
            size.tokens_per_word,
            100 * size.whole_words,
            100 * size.frequent[FREQUENT],
            size.renyi_efficiency,
            size.embedding,
        )
        for size in advice.sizes
    ]
    note = (
        f"* {chosen.merges:,} merges ({chosen.low:,} to {chosen.high:,} if symbols must occur "
        f"{2 * FREQUENT} or {FREQUENT // 2} times): {chosen.reason} (Gowda & May 2020)."
    )
    return Table(f"sizes-{advice.unit}", f"Sizes, unit {advice.unit}", columns, rows, [note])


def size_data(advice: SizeAdvice) -> Dict[str, Any]:
    """Returns the unrounded values, for JSON."""
    return {
        "unit": advice.unit,
        "signature": advice.table.signature(),
        "sizes": [asdict(size) for size in advice.sizes],
        "recommendation": asdict(advice.recommendation),
    }


def draw_sizes(advices: Sequence[SizeAdvice]) -> "Figure":
    """Draws the measures by number of merges, one line per unit.

    Raises:
        ValueError: If matplotlib is missing.
    """
    load_matplotlib()
    from matplotlib.figure import Figure

    panels = [
        (FREQUENT_TITLE, lambda size: 100 * size.frequent[FREQUENT]),
        ("Words kept whole, %", lambda size: 100 * size.whole_words),
        ("Tokens per word", lambda size: size.tokens_per_word),
        ("Rényi efficiency", lambda size: size.renyi_efficiency),
    ]
    figure = Figure(figsize=(8, 5.4), layout="constrained")
    grid = figure.subplots(2, 2, sharex=True).flat
    for axes, (title, value) in zip(grid, panels):
        for number, advice in enumerate(advices):
            merges = [size.merges for size in advice.sizes]
            style = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 4}
            axes.plot(merges, [value(size) for size in advice.sizes], label=advice.unit, **style)
            axes.axvline(
                advice.recommendation.merges, color=COLOURS[number], linewidth=0.8, linestyle=":"
            )
            if title == FREQUENT_TITLE:  # the rule may judge only these
                made = [100 * size.frequent_made[FREQUENT] for size in advice.sizes]
                axes.plot(merges, made, color=COLOURS[number], linewidth=0.8, linestyle="--")
        axes.set_title(title, fontsize=10, loc="left")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].axhline(100 * SHARE, color="#999999", linewidth=0.8)
    figure.supxlabel("merges (dotted: recommended)", fontsize=10)
    if len(advices) > 1:
        figure.axes[0].legend(frameon=False)
    return figure
