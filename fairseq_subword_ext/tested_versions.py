"""The tested versions of Python, Fairseq and torch, and the warning about other combinations."""

import sys
from importlib import metadata
from typing import Dict, List, NamedTuple, Optional, Tuple

# Distributions that contain the package fairseq; pip lets them overwrite each other's files.
FAIRSEQ_DISTRIBUTIONS = ("ve-fairseq", "fairseq-fixed", "fairseq")

TESTED = (
    "ve-fairseq 0.12.3 or fairseq-fixed 0.12.3.1 with Python 3.11 and torch 2.13; "
    "fairseq 0.12.2 with Python 3.10 and torch 1.13"
)

INSTALL = "pip install 'fairseq_subword_ext[fairseq]'"


class Row(NamedTuple):
    """One row of the table of tested versions."""

    python: Tuple[int, int]
    fairseq: str
    fairseq_version: str
    torch: str


ROWS = (
    Row((3, 11), "ve-fairseq", "0.12.3", "2.13"),
    Row((3, 11), "fairseq-fixed", "0.12.3.1", "2.13"),
    Row((3, 10), "fairseq", "0.12.2", "1.13"),
)


def installed() -> Dict[str, str]:
    """The installed versions of torch and of each distribution of Fairseq."""
    found = {}
    for name in (*FAIRSEQ_DISTRIBUTIONS, "torch"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def untested(versions: Dict[str, str], python: Optional[Tuple[int, int]] = None) -> Optional[str]:
    """One line for a combination that was never tried, which names what to install.

    Args:
        versions: From :func:`installed`.
        python: Major and minor version; by default those of this interpreter.

    Returns:
        None for a tested combination, and if Fairseq was not installed by pip.
    """
    python = python or sys.version_info[:2]
    builds = [name for name in FAIRSEQ_DISTRIBUTIONS if name in versions]
    if not builds:
        return None
    if len(builds) > 1:
        return (
            f"{' and '.join(builds)} are both installed and overwrite each other's files; "
            f"uninstall them all, then {INSTALL}"
        )
    build = builds[0]
    if any(_fits(row, python, build, versions) for row in ROWS):
        return None
    return f"not tested with {describe(versions, python)}. Tested: {TESTED} ({INSTALL})"


def describe(versions: Dict[str, str], python: Tuple[int, int]) -> str:
    parts: List[str] = [f"{name} {version}" for name, version in versions.items()]
    return ", ".join([f"Python {python[0]}.{python[1]}", *parts])


def _fits(row: Row, python: Tuple[int, int], build: str, versions: Dict[str, str]) -> bool:
    return (
        row.python == tuple(python)
        and (row.fairseq, row.fairseq_version) == (build, versions[build])
        and versions.get("torch", "").startswith(f"{row.torch}.")
    )
