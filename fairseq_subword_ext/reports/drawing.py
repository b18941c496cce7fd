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
        ValueError: where it is missing, with the name of the extra that installs it.
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


def save_figure(figure: "Figure", prefix: PathLike) -> List[Path]:
    """Writes the picture as PNG and as SVG.

    Args:
        figure: any of matplotlib's.
        prefix: path of the files without ``.png`` and ``.svg``.

    Raises:
        OSError: where a file cannot be written.
    """
    matplotlib = load_matplotlib()
    settle(figure)
    paths = [Path(f"{prefix}.{file_type}") for file_type in FILE_TYPES]
    with matplotlib.rc_context(SVG_SETTINGS):
        for path, file_type in zip(paths, FILE_TYPES):
            metadata = {"Date": None} if file_type == "svg" else None
            with atomic_writer(path) as stream:
                figure.savefig(stream, format=file_type, dpi=200, metadata=metadata)
    return paths
