"""Parses command lines of the documentation with the parsers of the programs that they call."""

import contextlib
import importlib
import io
import re
from functools import cache
from pathlib import Path

import pytest
from conftest import ROOT
from packaging.requirements import Requirement

from fairseq_subword_ext.cli.main import COMMANDS, build_parser


def check_commands(commands: list) -> None:
    """Parses each command line.

    Args:
        commands: program and arguments of each.

    Raises:
        AssertionError: If a program would refuse one of them.
    """
    for program, *arguments in commands:
        check = _CHECKS[program]
        printed = io.StringIO()
        try:
            with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
                check(arguments)
        except SystemExit as error:
            message = (
                printed.getvalue().strip().split("\n")[-1]
            )  # before it argparse prints the usage
            assert not error.code, f"{program} {' '.join(arguments)}\n{message}"
        except Exception as error:
            raise AssertionError(f"{program} {' '.join(arguments)}\n{error}") from error


def _subword(arguments):
    command = next((word for word in arguments if not word.startswith("-")), None)
    if command is not None:
        assert command in COMMANDS, f"no such command: {command}"
    build_parser(command).parse_args(arguments)


def _fairseq(parser_name):
    def check(arguments):
        pytest.importorskip("fairseq")
        from fairseq import options

        parser = getattr(options, f"get_{parser_name}_parser")
        if parser_name == "preprocessing":
            parser().parse_args(arguments)
        else:
            options.parse_args_and_arch(parser(), input_args=arguments)

    return check


def _interactive(arguments):
    pytest.importorskip("fairseq")
    from fairseq import options

    options.parse_args_and_arch(options.get_generation_parser(interactive=True), arguments)


def _hydra(arguments):
    """Composes the configuration, as Fairseq's command does, and checks the keys of its sections."""
    pytest.importorskip("hydra")
    from hydra import compose, initialize_config_dir

    folder, name, overrides = None, None, []
    words = iter(arguments)
    for word in words:
        if word == "--config-dir":
            folder = ROOT / next(words)
        elif word == "--config-name":
            name = next(words)
        else:
            overrides.append(word)
    assert folder.is_dir(), f"no such folder: {folder}"
    # Fairseq relies on this version; any other stays set for the whole process.
    with initialize_config_dir(str(folder), version_base="1.1"):
        # A file of one's own may add keys that it lacks; keys with a section must be in the file or new.
        compose(name, [word if word.startswith("+") else f"++{word}" for word in overrides])


def _pip(arguments):
    """Only the extras of this package and the names' form are checked; nothing is asked of an index."""
    for word in arguments[1:]:
        extras = re.match(r"(?:\.|fairseq_subword_ext\S*?)\[([\w,-]+)\]", word)
        if extras:
            unknown = set(extras[1].split(",")) - _extras()
            assert not unknown, f"no such extra: {unknown}"
        elif not word.startswith(("-", ".")) and "/" not in word and not word.endswith(".txt"):
            Requirement(word)


@cache
def _extras():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = text.split("[project.optional-dependencies]\n")[1].split("\n[")[0]
    return set(re.findall(r"^([\w-]+) = ", section, flags=re.MULTILINE))


def _script(arguments):
    """A script of the repository: it exists, and it or what it uses knows each flag."""
    words = [word for word in arguments if word not in ("-m", "-u")]
    script = next((word for word in words if word.endswith((".py", ".sh"))), None)
    assert script, "no script is named"
    path = ROOT / script
    assert path.is_file(), f"no such script: {script}"
    known = "".join(
        file.read_text(encoding="utf-8")
        for folder in (path.parent, *_shared_folders())
        for file in folder.glob("*.*")
        if file.suffix in (".py", ".sh")
    )
    words = words[words.index(script) + 1 :]
    if script == "scripts/recipe.py":
        _recipe(words)
        return
    for word in words:
        if word.startswith("fairseq-"):  # a launcher: what follows belongs to Fairseq
            break
        if word.startswith("--"):
            flag = word.partition("=")[0]
            assert flag in known, f"{script} does not know {flag}"


def _recipe(words):
    """Parses with the parser of the recipe, and looks for the rows in its table."""
    if not words:
        return
    program = importlib.import_module("recipes.engine.program")
    parsed = program.parser_of(program.load(words[0])).parse_args(words[1:])
    if parsed.systems:
        table = ROOT / "scripts" / "recipes" / words[0] / "systems.tsv"
        rows = {line.split("\t")[0] for line in table.read_text(encoding="utf-8").splitlines()}
        assert set(parsed.systems) <= rows, f"no such row: {set(parsed.systems) - rows}"


def _shared_folders():
    folders = [ROOT / "scripts", *(ROOT / "scripts" / "recipes").glob("**/")]
    return [folder for folder in folders if isinstance(folder, Path)]


_CHECKS = {
    "fairseq-subword": _subword,
    "fairseq-train": _fairseq("training"),
    "fairseq-generate": _fairseq("generation"),
    "fairseq-interactive": _interactive,
    "fairseq-preprocess": _fairseq("preprocessing"),
    "fairseq-hydra-train": _hydra,
    "pip": _pip,
    "bash": _script,
    "python": _script,
    "sbatch": _script,
}
