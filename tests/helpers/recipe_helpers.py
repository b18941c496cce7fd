"""Shared by the tests of the recipes."""

import contextlib
import io
import os
import re
import stat
import subprocess
from pathlib import Path
from typing import NamedTuple

import forked_modules
import pytest
from recipes.engine import corpus, program, runner
from sacrebleu.metrics import BLEU

from fairseq_subword_ext.evaluation.score_record import ScoreRecord


def _settings(*settings):
    return [item for setting in settings for item in ("--set", setting)]


_ALONE = "dataset.num_workers=0"
# Fairseq's lstm, small.
TINY_LSTM = _settings(
    _ALONE, "model.encoder_embed_dim=16", "model.encoder_hidden_size=16", "model.decoder_embed_dim=16",
    "model.decoder_hidden_size=16", "model.decoder_out_embed_dim=16",
)  # fmt: skip
# A Transformer's configuration with smaller sizes.
TINY_TRANSFORMER = _settings(
    _ALONE, "model.encoder_layers=1", "model.decoder_layers=1", "model.encoder_embed_dim=16",
    "model.decoder_embed_dim=16", "model.encoder_ffn_embed_dim=16", "model.decoder_ffn_embed_dim=16",
    "model.encoder_attention_heads=2", "model.decoder_attention_heads=2",
)  # fmt: skip


class Ran(NamedTuple):
    """What a call of scripts/recipe.py gave."""

    status: int
    stdout: str
    stderr: str


def _called(main, arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stopped:  # argparse
            status = stopped.code
    return Ran(status, out.getvalue(), err.getvalue())


def make_corpus(*arguments):
    """Runs ``python -m recipes.engine.corpus`` in this process."""
    return _called(corpus.main, arguments)


def recipe(*arguments, check=True):
    """Runs ``scripts/recipe.py`` in this process; fails with its output if the status is not 0."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner.subprocess, "Popen", forked_modules.Popen)
        ran = _called(program.main, arguments)
    status = ran.status
    if check and status != 0:
        logs = re.findall(r"see (\S+\.log)", ran.stderr)
        ends = [Path(log).read_text(encoding="utf-8")[-3000:] for log in logs]
        pytest.fail("\n".join([f"status {status}", ran.stdout[-3000:], ran.stderr[-3000:], *ends]))
    return ran


def cells_of(printed, table, row):
    """The cells of a table's row by column, which are separated by two or more spaces."""
    lines = printed[printed.index(f"{table}:") :].split("\n")
    header = re.split(r"\s{2,}", lines[2].strip())
    cells = next(re.split(r"\s{2,}", line.strip()) for line in lines[4:] if line.startswith(row))
    return dict(zip(header, cells[1:]))


def translations(path):
    """The decoded lines of fairseq-generate's output, in order."""
    found = re.findall(r"^D-(\d+)\t\S+\t(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [text for _, text in sorted((int(number), text) for number, text in found)]


def bleu(lines, reference, tokenize="13a"):
    """sacreBLEU's BLEU, of as many lines as the reference has."""
    assert len(lines) == len(reference)
    return BLEU(tokenize=tokenize, force=True).corpus_score(lines, [reference]).score


def check_bleu(folder, column, reference, raw):
    """Recomputes both BLEU scores of a column from Fairseq's output; returns that of tokens and that of text."""
    found = {
        "tokenized": bleu(translations(folder / f"{column}.out"), lines_of(reference), "none"),
        "detokenized": bleu(lines_of(folder / f"{column}.txt"), lines_of(raw)),
    }
    for name, score in found.items():
        system = scores_of(folder / f"{name}.json")[f"{folder.name}.{column}"]
        assert system.scores["BLEU"] == pytest.approx(score)
        assert system.settings["decoding"] == column
    return list(found.values())


def scores_of(path):
    """The systems of a file of ``score --json`` by name."""
    return {system.name: system for system in ScoreRecord.load(path).systems}


def table_rows(printed, title):
    """The rows of a table of which the title begins so, as cells."""
    block = printed[printed.index(title) :].split("\n\n")[1].split("\n")
    return [re.split(r"\s{2,}", line.strip()) for line in block if line.strip("- ")]


def lines_of(path):
    """A file's lines, each of which ends in a newline."""
    return path.read_text(encoding="utf-8").split("\n")[:-1]


APT_GET = """#!/bin/sh
# apt-get download -q PACKAGE, from a folder
for package; do :; done
cp "$DEBIAN_ARCHIVE/$package"_*.deb . 2> /dev/null || { echo "E: no package $package" >&2; exit 100; }
"""


class Debian:
    """A fake apt-get with the packages that a test offers."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "bin").mkdir(parents=True)
        apt_get = folder / "bin" / "apt-get"
        apt_get.write_text(APT_GET, encoding="utf-8")
        apt_get.chmod(apt_get.stat().st_mode | stat.S_IXUSR)

    def offer(self, package, tree):
        """Builds a package from the files in ``tree``."""
        control = tree / "DEBIAN" / "control"
        control.parent.mkdir()
        control.write_text(
            f"Package: {package}\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.org>\n"
            "Description: made for a test\n",
            encoding="utf-8",
        )
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-b", tree, self.folder / f"{package}_1_all.deb"],
            check=True, capture_output=True,
        )  # fmt: skip


@pytest.fixture
def debian(tmp_path, monkeypatch):
    made = Debian(tmp_path / "debian")
    monkeypatch.setenv("DEBIAN_ARCHIVE", str(made.folder))
    monkeypatch.setenv("PATH", f"{made.folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return made
