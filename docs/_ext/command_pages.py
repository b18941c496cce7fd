"""Writes one page per command of fairseq-subword, from its parser, before Sphinx reads the sources."""

import argparse
import re
import textwrap
from pathlib import Path

from fairseq_subword_ext.cli.main import COMMANDS, PROGRAM, build_parser

FOLDER = "reference/commands"
_FLAG = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


def setup(app):
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}


def write_pages(app) -> None:
    """Writes FOLDER/COMMAND.md for every command."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for page in folder.glob("*.md"):
        if page.stem not in COMMANDS:
            page.unlink()
    for name, summary in COMMANDS.items():
        write_if_changed(folder / f"{name}.md", command_page(name, summary))


def write_if_changed(path: Path, text: str) -> None:
    """Leaves a page alone that is up to date, so that Sphinx does not read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of one command, as the command itself builds it."""
    for action in build_parser(name)._actions:
        if isinstance(action, argparse._SubParsersAction):
            return action.choices[name]
    raise ValueError(f"{PROGRAM} has no commands")


def command_page(name: str, summary: str) -> str:
    """The page of one command: what it does, its usage, and its options group by group."""
    parser = command_parser(name)
    parser.formatter_class = lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=84)
    lines = [f"# {name}", ""]
    for paragraph in (parser.description or summary).strip().split("\n\n"):
        lines += prose(paragraph)
    lines += fenced("text", parser.format_usage())
    lines += [f":::{{program}} {PROGRAM} {name}", ":::", ""]
    for group in parser._action_groups:
        actions = [
            action
            for action in group._group_actions
            if action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction)
        ]
        if not actions:
            continue
        lines += [f"## {group.title[0].upper()}{group.title[1:]}", ""]
        if group.description:
            lines += [group.description, ""]
        formatter = parser._get_formatter()
        for action in actions:
            lines += option(formatter, action)
    return "\n".join(lines)


def option(formatter: argparse.HelpFormatter, action: argparse.Action) -> list:
    """One option or argument as a directive that other pages can refer to."""
    help_text = formatter._expand_help(action) if action.help else ""
    if not action.option_strings:
        name = formatter._format_args(action, action.metavar or action.dest)
        return ["```{describe} " + name, escaped(help_text), "```", ""]
    value = ""
    if action.nargs != 0:
        default = formatter._get_default_metavar_for_optional(action)
        value = f" {formatter._format_args(action, default)}"
    names = ", ".join(f"{flag}{value}" for flag in action.option_strings)
    return [f"```{{option}} {names}", escaped(help_text), "```", ""]


def prose(paragraph: str) -> list:
    """A paragraph of a description; examples and aligned columns keep their lines."""
    if paragraph.startswith(" ") or "   " in paragraph:
        return fenced("text", textwrap.dedent(paragraph))
    return [escaped(paragraph), ""]


def escaped(text: str) -> str:
    """Help text as Markdown that shows every character, with flags as code."""
    for character in "\\*_`<>[]@":
        text = text.replace(character, f"\\{character}")
    return _FLAG.sub(r"`\g<0>`", text)


def fenced(language: str, text: str) -> list:
    return [f"```{language}", text.strip("\n"), "```", ""]
