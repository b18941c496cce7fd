"""What all pictures share: colours, and files that are the same for the same data."""

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, List

from fairseq_subword_ext.textio.files import PathLike, atomic_writer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE_TYPES = ("png", "svg")

# Okabe and Ito's colours, which colour-blind readers can tell apart, but for the black one, which
# vanishes on a dark page. The shapes tell them apart in print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999933")
MARKERS = "osD^vPX"

# No date, and names that do not depend on chance; text stays text.
SVG_SETTINGS = {"svg.hashsalt": "fairseq-subword", "svg.fonttype": "none"}


def load_matplotlib() -> ModuleType:
    """matplotlib, which takes a while to import and need not be installed.

    Raises:
        ValueError: If it is missing, with the name of the extra that installs it.
    """
    try:
        import matplotlib.figure
    except ImportError:
        raise ValueError(
            "pictures are drawn by matplotlib, which is not installed: "
            "pip install 'fairseq_subword_ext[plots]'"
        ) from None
    return matplotlib


def settle(figure: "Figure") -> "Figure":
    """Lays a figure out for good: matplotlib's layout differs in the last bits from run to run."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position([round(part, 3) for part in axes.get_position().bounds])
    return figure


def figure_paths(prefix: PathLike) -> List[Path]:
    """The files of a picture: PNG and SVG, or the one that the path ends in.

    Args:
        prefix: path of the files without ``.png`` and ``.svg``, or with one of them.
    """
    if Path(prefix).suffix[1:] in FILE_TYPES:
        return [Path(prefix)]
    return [Path(f"{prefix}.{file_type}") for file_type in FILE_TYPES]


def save_figure(figure: "Figure", prefix: PathLike) -> List[Path]:
    """Writes the picture into the files of :func:`figure_paths`.

    Args:
        figure: any of matplotlib's.
        prefix: as there.

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
