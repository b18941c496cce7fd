"""Parses the systems on a command line: their names, files and settings."""

import math
from contextlib import suppress
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence

from fairseq_subword_ext.evaluation.score_record import Setting


class NamedSystem(NamedTuple):
    """A system as given on the command line."""

    name: str
    path: str


def named_systems(arguments: Sequence[str]) -> List[NamedSystem]:
    """Parses ``NAME=FILE`` and ``FILE``; an existing file whose name contains ``=`` is a file.

    Raises:
        ValueError: If there is no system, or two have the same name.
    """
    if not arguments:
        raise ValueError(
            "no system was given; put systems first, or after `--` if an option before them takes "
            "several files"
        )
    systems: List[NamedSystem] = []
    for argument in arguments:
        name, separator, path = argument.partition("=")
        if not separator or not name or "/" in name or Path(argument).exists():
            name, path = Path(argument).stem or argument, argument
        for other in systems:
            if name == other.name:
                raise ValueError(
                    f"two systems are called {name!r}; name them, as in a={other.path} b={path}"
                )
        systems.append(NamedSystem(name, path))
    return systems


def parse_settings(arguments: Sequence[str], names: Sequence[str]) -> Dict[str, Dict[str, Setting]]:
    """The settings of each system; numbers become numbers.

    Args:
        arguments: ``KEY=VALUE`` for all systems, ``NAME:KEY=VALUE`` for one.
        names: the names of the systems.

    Raises:
        ValueError: If an argument lacks ``=``, or its system is unknown.
    """
    settings: Dict[str, Dict[str, Setting]] = {name: {} for name in names}
    for argument in arguments:
        key, separator, value = argument.partition("=")
        if not separator or not key:
            raise ValueError(f"--set {argument}: expected KEY=VALUE or NAME:KEY=VALUE")
        system, colon, own_key = key.rpartition(":")
        if colon and system not in settings:
            raise ValueError(f"--set {argument}: no system is called {system!r}")
        for name in [system] if colon else names:
            settings[name][own_key] = _typed(value)
    return settings


def parse_line_scores(
    arguments: Sequence[str], names: Sequence[str], taken: Sequence[str]
) -> Dict[str, Dict[str, str]]:
    """The files of line scores from other tools.

    Args:
        arguments: ``NAME:METRIC=FILE``, or ``METRIC=FILE`` for a single system.
        names: the names of the systems.
        taken: names of metrics that scoring itself uses.

    Returns:
        metric -> system -> file.

    Raises:
        ValueError: If an argument is malformed, its system is unknown or missing, or its metric is
            taken or given twice for a system.
    """
    files: Dict[str, Dict[str, str]] = {}
    for argument in arguments:
        flag = f"--segment-scores {argument}"
        key, separator, path = argument.partition("=")
        system, colon, metric = key.rpartition(":")
        if not separator or not metric or not path:
            raise ValueError(f"{flag}: expected NAME:METRIC=FILE, as in {names[0]}:COMET=FILE")
        if not colon and len(names) > 1:
            raise ValueError(
                f"{flag}: say which system was scored, as in {names[0]}:{argument}; the systems are "
                f"{', '.join(names)}"
            )
        system = system if colon else names[0]
        if system not in names:
            raise ValueError(f"{flag}: no system is called {system!r}")
        if metric in taken:
            raise ValueError(f"{flag}: {metric} is computed here; give the scores another name")
        if files.setdefault(metric, {}).setdefault(system, path) != path:
            raise ValueError(f"{flag}: {system} already has {metric} from {files[metric][system]}")
    return files


def _typed(value: str) -> Setting:
    for kind in (int, float):
        with suppress(ValueError):
            number = kind(value)
            return number if math.isfinite(number) else value
    return value
