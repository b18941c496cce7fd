"""Plain commands: what a recipe runs, what ``--dry-run`` prints and what ``commands.sh`` keeps."""

import os
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Sequence, Tuple, Union

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "scripts"
USER_DIR = ROOT / "fairseq_subword_ext"
SENTENCEPIECE = "sentencepiece"  # Fairseq's own encoder, for models of plain text
_WIDTH = 110

# The commands of these names are run as modules, so that they need not be on the PATH.
_MODULES = {
    "python": [],
    "fairseq-subword": ["-m", "fairseq_subword_ext"],
    "fairseq-train": ["-m", "fairseq_cli.train"],
    "fairseq-hydra-train": ["-m", "fairseq_cli.hydra_train"],
    "fairseq-generate": ["-m", "fairseq_cli.generate"],
    "fairseq-validate": ["-m", "fairseq_cli.validate"],
    "fairseq-preprocess": ["-m", "fairseq_cli.preprocess"],
}


class Neutral(str):
    """An argument that does not change the result, such as a number of threads."""


class Extent(str):
    """An argument that says how long to train. Another value continues a training instead of restarting it."""


def environment() -> Dict[str, str]:
    """The environment variables of all commands."""
    path = os.pathsep.join(filter(None, [str(SCRIPTS), os.environ.get("PYTHONPATH")]))
    # Fairseq and Hydra warn about their own use of deprecated features, which users cannot fix.
    return {"PYTHONWARNINGS": "ignore", **os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}


Argument = Union[str, Path, int, float]


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        argv: its name and arguments. The name is one of ``fairseq-subword``, ``python``, ``cp`` and Fairseq's
            commands.
        stdout: the file that its output goes to; None for the log.
    """

    argv: Tuple[str, ...]
    stdout: Optional[Path] = None

    def executed(self) -> List[str]:
        """The arguments for :mod:`subprocess`.

        Raises:
            ValueError: If the command has an unknown name.
        """
        name, *arguments = self.argv
        if name == "cp":
            return list(self.argv)
        if name not in _MODULES:
            raise ValueError(f"command must be one of {', '.join(_MODULES)}, not {name!r}")
        return [sys.executable, *_MODULES[name], *arguments]

    @property
    def written(self) -> List[Path]:
        """The files that it writes: ``-o``, ``--json`` and its output."""
        named = [
            Path(after) for flag, after in zip(self.argv, self.argv[1:]) if flag in ("-o", "--json")
        ]
        return [*named, *([self.stdout] if self.stdout else [])]

    def settings(self, work: Path, extent: bool = True) -> List[str]:
        """The arguments that the result depends on, independent of where the run's folder is.

        Args:
            work: the run's folder.
            extent: include arguments that say how long to train.
        """
        skipped = (Neutral,) if extent else (Neutral, Extent)
        kept = [argument for argument in self.argv if not isinstance(argument, skipped)]
        return [_relative(argument, work) for argument in [*kept, str(self.stdout or "")]]


def command(*arguments: Argument, stdout: Optional[Path] = None) -> Command:
    """Makes a command of any arguments; :class:`Neutral` and :class:`Extent` are kept."""
    argv = [item if isinstance(item, str) else str(item) for item in arguments]
    return Command(tuple(argv), stdout)


def tool(module: str, *arguments: Argument, stdout: Optional[Path] = None) -> Command:
    """A command of the recipes' own modules, such as ``tool("engine.fetch", ...)``."""
    return command("python", "-m", f"recipes.{module}", *arguments, stdout=stdout)


def neutral(*arguments: Argument) -> List[Neutral]:
    """Arguments that do not change the result."""
    return [Neutral(argument) for argument in arguments]


def as_script(
    title: str, steps: Iterable[Tuple[str, Sequence[Path], Sequence[Command]]], work: Path
) -> str:
    """A shell script that runs commands without the recipe program.

    Args:
        title: for the comment at the top.
        steps: names of steps, the folders that they need, and their commands.
        work: the run's folder; the script takes another one from the variable WORK.
    """
    lines = [
        "#!/usr/bin/env bash",
        f"# {title}",
        "# These are the commands of scripts/recipe.py in order; they run without it. WORK=DIR writes elsewhere.",
        "set -euo pipefail",
        f"ROOT={shlex.quote(str(ROOT))}",
        f'WORK="${{WORK:-{work}}}"',
        f'export PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH"',
        'export PYTHONPATH="$ROOT/scripts${PYTHONPATH:+:$PYTHONPATH}"',
        'export PYTHONWARNINGS="${PYTHONWARNINGS:-ignore}"',
        'mkdir -p "$WORK"',
    ]
    folders = {'"$WORK"': work, '"$ROOT"': ROOT}
    made = {work}
    for name, needed, commands in steps:
        lines += ["", f"# {name}"]
        new = [_quoted(str(folder), folders) for folder in needed if folder not in made]
        lines += [f"mkdir -p {' '.join(new)}"] if new else []
        made.update(needed)
        for one in commands:
            arguments = [_quoted(argument, folders) for argument in one.argv]
            if one.stdout:
                arguments.append(f"> {_quoted(str(one.stdout), folders)}")
            lines.append(_folded(arguments))
    return "\n".join([*lines, ""])


def _relative(argument: str, work: Path) -> str:
    folders = {"$WORK": work, "$ROOT": ROOT}
    for name, folder in folders.items():
        argument = _inside(folder).sub(lambda _, name=name: name, argument)
    return argument


def _inside(folder: Path) -> "re.Pattern[str]":
    """Matches a folder's path, but no path that merely begins with it."""
    return re.compile(rf"{re.escape(str(folder))}(?=$|[/,:\]])")


def _quoted(argument: str, folders: Dict[str, Path]) -> str:
    """Quotes an argument for the shell, with variables in place of folders."""
    (variable, folder), *others = folders.items()
    parts = _inside(folder).split(argument)
    rest = dict(others)
    quote = (lambda part: _quoted(part, rest)) if rest else shlex.quote
    return variable.join(quote(part) if part else "" for part in parts) or "''"


def _folded(arguments: Sequence[str]) -> str:
    """One command on as many lines as it needs; a flag and its first value stay together."""
    parts: List[str] = []
    for argument in arguments:
        if (
            len(parts) > 1
            and parts[-1].startswith("-")
            and " " not in parts[-1]
            and argument[0] != "-"
        ):
            parts[-1] += f" {argument}"
        else:
            parts.append(argument)
    lines, line = [], parts[0]
    for part in parts[1:]:
        if len(line) + len(part) > _WIDTH:
            lines.append(f"{line} \\")
            line = f"  {part}"
        else:
            line += f" {part}"
    return "\n".join([*lines, line])
