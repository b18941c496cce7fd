"""Shared by all pictures: colours, and files that are identical for the same data."""

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, List

from fairseq_subword_ext.textio.files import PathLike, atomic_writer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE_TYPES = ("png", "svg")

# Okabe and Ito's colours, which colour-blind readers can tell apart, without black, which would vanish
# on a dark page. Marker shapes distinguish the lines in black-and-white print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999933")
MARKERS = "osD^vPX"

# No date and no random ids, so that files are reproducible; text is kept as text.
SVG_SETTINGS = {"svg.hashsalt": "fairseq-subword", "svg.fonttype": "none"}


def load_matplotlib() -> ModuleType:
    """Imports matplotlib, which is optional and slow to import.

    Raises:
        ValueError: If it is missing; the message names the extra that installs it.
    """
    try:
        import matplotlib.figure
    except ImportError:
        raise ValueError(
            "drawing needs matplotlib, which is not installed: "
            "pip install 'fairseq_subword_ext[plots]'"
        ) from None
    return matplotlib


def settle(figure: "Figure") -> "Figure":
    """Fixes a figure's layout, since matplotlib's layout may differ in the last bits when run again."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position([round(part, 3) for part in axes.get_position().bounds])
    return figure


def figure_paths(prefix: PathLike) -> List[Path]:
    """The files of a picture: PNG and SVG, or only the one whose suffix the path has.

    Args:
        prefix: path of the files without suffix, or with ``.png`` or ``.svg``.
    """
    if Path(prefix).suffix[1:] in FILE_TYPES:
        return [Path(prefix)]
    return [Path(f"{prefix}.{file_type}") for file_type in FILE_TYPES]


def save_figure(figure: "Figure", prefix: PathLike) -> List[Path]:
    """Writes a picture to the files of :func:`figure_paths`.

    Args:
        figure: a matplotlib figure.
        prefix: as for :func:`figure_paths`.

    Raises:
        OSError: If a file cannot be written.
    """
    matplotlib = load_matplotlib()
    settle(figure)
    paths = figure_paths(prefix)
    with matplotlib.rc_context(SVG_SETTINGS):
        for path in paths:
            file_type = path.suffix[1:]
            metadata = {"Date": None} if file_type == "svg" else None
            with atomic_writer(path) as stream:
                figure.savefig(stream, format=file_type, dpi=200, metadata=metadata)
    return paths
