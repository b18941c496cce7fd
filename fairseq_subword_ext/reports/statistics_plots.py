"""Draws the pictures of a report: the papers' figures, and their tables as bars."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, List, Optional, Tuple

from fairseq_subword_ext.reports.charts import Panel, draw_bars, draw_lines
from fairseq_subword_ext.reports.corpus_statistics import Statistics
from fairseq_subword_ext.reports.drawing import load_matplotlib, settle
from fairseq_subword_ext.reports.report import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#1F2328"
RULE = "#D0D7DE"

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


@dataclass(frozen=True)
class Picture:
    """A picture with its key and title.

    Attributes:
        key: key of the table with the same numbers, and name of the file.
        title: title of the picture.
        figure: the matplotlib figure.
    """

    key: str
    title: str
    figure: "Figure"


def draw_report(report: Report) -> Iterator[Picture]:
    """Draws every picture for which there is data.

    Raises:
        ValueError: If matplotlib is missing; the message names the extra that installs it.
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
    return draw_bars(report, panels, raw=True)


def _splitting(report: Report) -> "Figure":
    """Wu & Zhao 2018, Figure 2."""
    return draw_bars(
        report,
        [
            Panel("Split words per sentence", lambda text: text.mean_split_words, 2),
            Panel("Increase per sentence (tokens − words)", lambda text: text.length_increase, 2),
        ],
    )


def _lengths(report: Report) -> "Figure":
    """Wang, Cho & Gu 2020, Table 4."""
    return draw_bars(report, [Panel("Tokens per sentence", lambda text: text.mean_length)])


def _characters(report: Report) -> "Figure":
    return draw_bars(
        report,
        [
            Panel("Tokens per 1,000 characters", lambda text: text.tokens_per_1000_characters),
            Panel("Single characters, % of tokens", lambda text: text.single_share),
        ],
    )


def _evenness(report: Report) -> "Figure":
    """Zouhar et al. 2023."""
    return draw_bars(
        report,
        [
            Panel("Rényi efficiency", lambda text: text.evenness.renyi_efficiency, 3),
            Panel("Percentile frequency", lambda text: text.evenness.percentile_frequency, 3),
        ],
    )


def _languages(report: Report) -> Optional["Figure"]:
    """Petrov et al. 2023."""
    base = report.base_language
    if base is None or len(report.languages) < 2:
        return None

    def relative_length(text: Statistics) -> Optional[float]:
        return report.relative_length(text.name, text.language)

    return draw_bars(
        report, [Panel(f"Tokens per sentence, relative to {base}", relative_length, 2)]
    )


def _partial(report: Report) -> Optional["Figure"]:
    """Wang, Cho & Gu 2020, Table 3."""
    names = report.bytewise_names()
    panel = Panel("% of tokens", lambda text: text.partial_share, at_least=1)
    return draw_bars(report, [panel], names=names) if names else None


def _cost(report: Report) -> Optional["Figure"]:
    panels: List[Panel] = []
    if report.training:
        panels += [
            Panel("Training, ms per sentence", lambda text: report.training_cost(text.name)[0], 3),
            Panel("… per 1,000 characters", lambda text: report.training_cost(text.name)[1], 3),
        ]
    if report.decoding:
        panels += [
            Panel("Decoding, ms per sentence", lambda text: report.decoding_cost(text.name)[0], 3),
            Panel("… per 1,000 characters", lambda text: report.decoding_cost(text.name)[1], 3),
        ]
    return draw_bars(report, panels, languages=report.languages[:1]) if panels else None


def _frequencies(report: Report) -> "Figure":
    """Wang, Cho & Gu 2020, Figure 2."""
    figure, axes = draw_lines(report, [report.frequencies[name] for name in report.names])
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
    figure, axes = draw_lines(report, shares)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("number of languages that share a symbol")
    axes.set_ylabel("% of the symbols")
    return figure


_PICTURES: Sequence[Tuple[str, str, Callable[[Report], Optional["Figure"]]]] = (
    ("corpus", "Corpus statistics", _corpus),
    ("splitting", "Split words and sentence length", _splitting),
    ("lengths", "Sentence length", _lengths),
    ("characters", "Tokens compared to the raw text", _characters),
    ("evenness", "How evenly tokens are used", _evenness),
    ("languages", "Tokens per sentence, relative to one language", _languages),
    ("partial", "Tokens with partial characters", _partial),
    ("cost", "Time, from Fairseq's logs", _cost),
    ("frequencies", "Symbols by number of occurrences", _frequencies),
    ("sharing", "Symbols by number of languages that share them", _sharing),
)
