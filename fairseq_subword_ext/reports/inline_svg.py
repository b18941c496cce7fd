"""Embeds matplotlib's pictures in an HTML page, in the page's own colours."""

import io
import re
from html import escape

from fairseq_subword_ext.reports.charts import UNSEGMENTED
from fairseq_subword_ext.reports.drawing import COLOURS, SVG_SETTINGS
from fairseq_subword_ext.reports.statistics_plots import INK, RULE, Picture

# Colours of the pictures -> CSS variables of the page, which change with its theme.
_VARIABLES = {
    INK: "--ink",
    "#000000": "--ink",
    RULE: "--rule",
    UNSEGMENTED: "--unsegmented",
    **{colour: f"--series-{number}" for number, colour in enumerate(COLOURS, 1)},
}
_IDS = re.compile(r' id="|xlink:href="#|url\(#')


def inline_svg(picture: Picture) -> str:
    """Writes a picture as an ``<svg>`` element.

    The same picture always gives the same text, and its ids never collide with another picture's.
    """
    import matplotlib

    stream = io.StringIO()
    with matplotlib.rc_context(SVG_SETTINGS):
        picture.figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    svg = stream.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = _IDS.sub(rf"\g<0>{picture.key}-", svg)
    for colour, variable in _VARIABLES.items():
        svg = re.sub(colour, f"var({variable})", svg, flags=re.IGNORECASE)
    # The page sets the size; the view box keeps the proportions.
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    label = f'<svg role="img" aria-label="{escape(picture.title)}"'
    return svg.replace("<svg", label, 1)
