"""The code blocks of README.md and docs/*.md as examples that run, read with sybil.

```console  commands after `$ `, each with what it prints: standard output, standard error, or both, the one
            after the other; `...` stands for anything, within a line or for whole lines. Where nothing is
            shown, standard output must be empty. Columns may be aligned: tabs and runs of spaces are equal.
```bash     a script that must succeed; what it prints is not shown.
```python   code; all blocks of a page share one interpreter.
```yaml     and ```python or ```text whose first line is a comment with a file name (`# my_measure.py`) are files,
            which the page's later blocks use; other YAML has to parse, other text is not looked at.

A page's blocks run in one folder, in their order, and keep each other's shell variables. Comments above a
block, which readers do not see, choose what is done with it:

<!-- test: slow -->    it takes long: run in the slow tests only
<!-- test: parse -->   it takes hours, or needs data or machines that a test has not: its command lines are
                       parsed by the programs' own parsers (command_lines.py), Python is compiled; so is
                       a block that runs a script of the checkout, without a comment
<!-- test: run -->     it runs a script of the checkout that is in the page's folder, in the slow tests
<!-- setup: bash       commands that the reader does not need, such as those that make a small corpus
COMMANDS
-->
"""

import re
from pathlib import Path

import yaml
from conftest import ROOT
from page_shells import PythonProcess, Shell
from sybil import Document, Region
from sybil.parsers.markdown.lexers import DirectiveInHTMLCommentLexer, FencedCodeBlockLexer

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = "console|bash|python|yaml|text"
_COLUMNS = re.compile(r"\t\s*| {2,}\s*")
_SCRIPT = re.compile(r"^(?:[A-Z]+=\S+ )?(?:bash|python|sbatch .*) scripts/", flags=re.MULTILINE)
_FILE_NAME = re.compile(r"# ([\w./-]+\.(?:py|yaml|tsv))\n")
# Kinds of blocks that run in the slow tests only.
_SLOW = ("slow", "run")


class Page:
    """One page, whose blocks run in a folder.

    Args:
        path: the Markdown file.
        folder: where the blocks run.
        check_commands: called with the command lines of a block that is only parsed.
    """

    def __init__(self, path: Path, folder: Path, check_commands):
        self.document = Document.parse(str(path), self._markers, self._setups, self._blocks)
        self.shell = Shell(folder)
        self.python = PythonProcess(folder)
        self.check_commands = check_commands
        self.kind = "quick"

    def run(self, slow: bool) -> None:
        """Runs the blocks in order; those marked slow only if asked to."""
        self.slow = slow
        try:
            for example in self.document.examples():
                try:
                    example.evaluate()
                except AssertionError as error:
                    raise AssertionError(
                        f"{Path(example.path).name}, line {example.line}: {error}"
                    ) from None
        finally:
            self.python.close()

    def _markers(self, document):
        for region in DirectiveInHTMLCommentLexer("test")(document):
            kind = region.lexemes["arguments"].strip()
            if kind not in ("slow", "parse", "run"):
                raise ValueError(f"{document.path}: no kind of block: <!-- test: {kind} -->")
            yield Region(region.start, region.end, kind, self._mark)

    def _setups(self, document):
        for region in DirectiveInHTMLCommentLexer("setup")(document):
            yield Region(region.start, region.end, region.lexemes["source"], self._set_up)

    def _blocks(self, document):
        for region in FencedCodeBlockLexer(LANGUAGES)(document):
            block = (region.lexemes["language"], str(region.lexemes["source"]))
            yield Region(region.start, region.end, block, self._run_block)

    def _mark(self, example):
        self.kind = example.parsed

    def _set_up(self, example):
        kind, self.kind = self.kind, "quick"
        if kind == "quick" or self.slow:
            self.shell.run(str(example.parsed))

    def _run_block(self, example):
        kind, self.kind = self.kind, "quick"
        language, source = example.parsed
        file_name = _FILE_NAME.match(source)
        if kind in _SLOW and not self.slow:
            return
        if file_name:
            self.shell.write(file_name[1], source)
        elif language == "yaml":
            yaml.safe_load(source)
        elif language == "text":
            return
        elif kind == "parse" or (kind != "run" and _SCRIPT.search(source)):
            if language == "python":
                compile(source, example.path, "exec")
            else:
                self.check_commands(self.shell.commands_of(source))
        elif language == "python":
            self.python.run(source)
        elif language == "bash":
            self.shell.run(source)
        else:
            for command, expected in console_commands(source):
                output, errors = self.shell.run(command, options="")
                shown = (
                    (output, errors, output + errors, errors + output) if expected else (output,)
                )
                assert any(matches(expected, text) for text in shown), (
                    f"$ {command}\nexpected:\n{expected}\nprinted:\n{output}{errors}"
                )


def has_slow_blocks(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return any(f"<!-- test: {kind} -->" in text for kind in _SLOW)


def console_commands(source: str):
    """(command, expected output) of each `$ ` line of a console block, continuation lines included."""
    command, expected = None, []
    for line in source.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, "\n".join(expected)
            command, expected = line[2:], []
        elif command is None:
            raise AssertionError(f"a console block starts with '$ ', not with {line!r}")
        elif not expected and (command.endswith("\\") or line.startswith("> ")):
            command += "\n" + line.removeprefix("> ")
        else:
            expected.append(line)
    if command is not None:
        yield command, "\n".join(expected)


def matches(expected: str, printed: str) -> bool:
    """Whether the output is the one shown; `...` in it stands for anything."""
    pattern = ""
    for line in _lines(expected):
        if line == "...":
            pattern += r"(?:.*\n)*"
        else:
            pattern += re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(printed))) is not None


def _lines(text: str) -> list:
    return [_COLUMNS.sub("  ", line.strip()) for line in text.splitlines()]
