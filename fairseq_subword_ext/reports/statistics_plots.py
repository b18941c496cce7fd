"""Pictures of a report: what the papers show as figures, and their tables as bars."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, List, Optional, Tuple

from fairseq_subword_ext.reports.corpus_statistics import Statistics
from fairseq_subword_ext.reports.drawing import COLOURS, MARKERS, load_matplotlib, settle
from fairseq_subword_ext.reports.report import NO_SEGMENTATION, Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DASHES = ("-", "--", ":", "-.")

INK = "#1F2328"
RULE = "#D0D7DE"
UNSEGMENTED = "#8C959F"

_WIDTH = 8.0  # inches
_BAR = 0.26
_STYLE = {
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": RULE,
    "axes.spines.top": False,
    "axes.spines.right": False,
}

Value = Optional[float]


@dataclass(frozen=True)
class Panel:
    """Bars of one quantity.

    Attributes:
        title: the quantity, with its unit.
        value: of one text under one segmentation; None where it has none.
        digits: decimals to show.
        at_least: what the axis spans even where all values are smaller.
    """

    title: str
    value: Callable[[Statistics], Value]
    digits: int = 1
    at_least: float = 0


@dataclass(frozen=True)
class Picture:
    """A picture with its place among the others.

    Attributes:
        key: that of the table with the same numbers, and the file's name.
        title: what it shows.
        figure: matplotlib's.
    """

    key: str
    title: str
    figure: "Figure"


def draw_report(report: Report) -> Iterator[Picture]:
    """Draws every picture for which there are data.

    Raises:
        ValueError: where matplotlib is missing, with the name of the extra that installs it.
    """
    matplotlib = load_matplotlib()
    for key, title, draw in _PICTURES:
        with matplotlib.rc_context(_STYLE):
            figure = draw(report)
        if figure is not None:
            yield Picture(key, title, settle(figure))


def _corpus(report: Report) -> "Figure":
    """Sennrich, Haddow & Birch 2016, Table 1."""
    panels = [
        Panel("Tokens", lambda text: text.tokens, 0),
        Panel("Types", lambda text: text.types, 0),
    ]
    if any(text.heldout for text in report):
        unknown = Panel(
            "Unknown tokens", lambda text: text.heldout.unknown if text.heldout else None, 0
        )
        panels.append(unknown)
    return _bars(report, panels, raw=True)


def _splitting(report: Report) -> "Figure":
    """Wu & Zhao 2018, Figure 2."""
    return _bars(
        report,
        [
            Panel("Split words a sentence", lambda text: text.mean_split_words, 2),
            Panel("Increase of a sentence (tokens − words)", lambda text: text.length_increase, 2),
        ],
    )


def _lengths(report: Report) -> "Figure":
    """Wang, Cho & Gu 2020, Table 4."""
    return _bars(report, [Panel("Tokens a sentence", lambda text: text.mean_length)])


def _characters(report: Report) -> "Figure":
    return _bars(
        report,
        [
            Panel("Tokens per 1,000 characters", lambda text: text.tokens_per_1000_characters),
            Panel("Single characters, % of tokens", lambda text: text.single_share),
        ],
    )


def _partial(report: Report) -> Optional["Figure"]:
    """Wang, Cho & Gu 2020, Table 3."""
    names = report.bytewise_names()
    panel = Panel("% of tokens", lambda text: text.partial_share, at_least=1)
    return _bars(report, [panel], names=names) if names else None


def _cost(report: Report) -> Optional["Figure"]:
    panels: List[Panel] = []
    if report.training:
        panels += [
            Panel("Training, ms a sentence", lambda text: report.training_cost(text.name)[0], 3),
            Panel("… per 1,000 characters", lambda text: report.training_cost(text.name)[1], 3),
        ]
    if report.decoding:
        panels += [
            Panel("Decoding, ms a sentence", lambda text: report.decoding_cost(text.name)[0], 3),
            Panel("… per 1,000 characters", lambda text: report.decoding_cost(text.name)[1], 3),
        ]
    return _bars(report, panels, languages=report.languages[:1]) if panels else None


def _frequencies(report: Report) -> "Figure":
    """Wang, Cho & Gu 2020, Figure 2."""
    figure, axes = _lines(report, [report.frequencies[name] for name in report.names])
    axes.xaxis.set_major_formatter(lambda k, _: f"{2**k:,.0f}" if k >= 0 and k == int(k) else "")
    axes.set_xlabel("occurrences of a symbol (powers of two)")
    axes.set_ylabel("symbols")
    return figure


def _sharing(report: Report) -> Optional["Figure"]:
    """Wang, Cho & Gu 2020, Figure 3."""
    if len(report.languages) < 2:
        return None
    shares = []
    for name in report.names:
        total = sum(report.shared[name]) or 1
        shares.append({n: 100 * count / total for n, count in enumerate(report.shared[name], 1)})
    figure, axes = _lines(report, shares)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("number of languages that share a symbol")
    axes.set_ylabel("% of the symbols")
    return figure


_PICTURES: Sequence[Tuple[str, str, Callable[[Report], Optional["Figure"]]]] = (
    ("corpus", "Corpus statistics", _corpus),
    ("splitting", "Split words and length of a sentence", _splitting),
    ("lengths", "Length of a sentence", _lengths),
    ("characters", "Tokens and the raw text", _characters),
    ("partial", "Tokens with partial characters", _partial),
    ("cost", "Time that Fairseq's logs tell", _cost),
    ("frequencies", "Symbols by number of occurrences", _frequencies),
    ("sharing", "Symbols by number of languages that share them", _sharing),
)


def _bars(
    report: Report,
    panels: Sequence[Panel],
    raw: bool = False,
    languages: Optional[Sequence[str]] = None,
    names: Optional[Sequence[str]] = None,
) -> "Figure":
    """Horizontal bars, a panel a quantity; a group for each language, where there are several."""
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
    """The bars of one segmentation; where there is no value, a dash."""
    values = [None if text is None else panel.value(text) for text in texts]
    bars = axes.barh(places, [value or 0 for value in values], height=0.8, **style)
    shown = ["–" if value is None else f"{value:,.{panel.digits}f}" for value in values]
    axes.bar_label(bars, shown, padding=3)


def _lines(report: Report, series: Sequence[dict]) -> Tuple["Figure", "Axes"]:
    """A line for each segmentation through its points."""
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
