"""The recipes of Wu & Zhao 2018: joined scores, and grids with the paper's figures."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "recipes"))

import collect_scores
import grid

from fairseq_subword_ext.evaluation.score_record import (
    ScoreRecord,
    SignificanceRecord,
    SystemRecord,
)

SYSTEMS = """system\ttable\tdown\tacross\tbaseline\tfigure:greedy\tfigure:beam10
frq-10k\t2\t10K\tFRQ'\t-\t27.36\t28.86
dlg-10k\t2\t10K\tDLG'\tfrq-10k\t27.56\t29.25
dlg-20k\t2\t20K\tDLG'\t-\t27.76 +\t29.36
av-10k\t1\t10K\tAV\t-\t-\t27.42
"""


def scored(path, **values):
    """Writes a file of `score --json` for systems with these names."""
    systems = [
        SystemRecord(f"dlg.{name}", "x.out", "D-", 1, {"decoding": name}, scores={"BLEU": value}, signatures={"BLEU": path.stem})
        for name, value in values.items()
    ]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    ScoreRecord({}, systems).save(path)
    return path


@pytest.fixture
def work(tmp_path):
    (tmp_path / "systems.tsv").write_text(SYSTEMS, encoding="utf-8")
    folder = tmp_path / "systems" / "dlg-10k"
    tokens = scored(folder / "tokenized.json", greedy=26.504, beam10=28.0)
    text = scored(folder / "detokenized.json", greedy=25.0, beam10=27.0)
    content = collect_scores.collect([f"tokenized={tokens}", f"detokenized={text}"])
    (folder / "scores.json").write_text(json.dumps(content))
    record = ScoreRecord({}, [], "frq-10k")
    record.significance = [
        SignificanceRecord("sign-corpus", "BLEU", "dlg-10k", "frq-10k", 0.001, True, "++", "")
    ]
    (tmp_path / "significance").mkdir()
    record.save(tmp_path / "significance" / "dlg-10k.beam10.json")
    return tmp_path


def test_scores_are_joined(work):
    content = json.loads((work / "systems" / "dlg-10k" / "scores.json").read_text())
    assert content == {
        "figures": {
            "greedy": {"tokenized": 26.504, "detokenized": 25.0},
            "beam10": {"tokenized": 28.0, "detokenized": 27.0},
        },
        "signatures": {"tokenized": "tokenized", "detokenized": "detokenized"},
    }
    with pytest.raises(ValueError, match="expected METRIC=FILE"):
        collect_scores.collect(["tokenized.json"])
    unset = scored(work / "unset.json", greedy=1.0)
    unset.write_text(unset.read_text().replace('"decoding"', '"beam"'))
    with pytest.raises(ValueError, match=r"dlg\.greedy has no setting decoding"):
        collect_scores.collect([f"tokenized={unset}"])
    with pytest.raises(ValueError, match="expected a file written by"):
        collect_scores.collect([f"tokenized={work / 'systems.tsv'}"])


def test_the_grids_show_paper_and_here(work, monkeypatch, capsys):
    arguments = ["grid.py", str(work / "systems.tsv"), "--work", str(work)]
    monkeypatch.setattr(sys, "argv", arguments)
    assert grid.main() == 0
    printed = capsys.readouterr().out
    rows = [" ".join(line.split()) for line in printed.split("\n")]
    assert rows == [
        "Table 2: BLEU of the paper / here (tokenized)",
        "FRQ', greedy DLG', greedy FRQ', beam10 DLG', beam10",
        "10K 27.36 / - 27.56 / 26.50 28.86 / - 29.25 / 28.00 ++",
        "20K 27.76 + / - 29.36 / -",
        "",
        "Table 1: BLEU of the paper / here (tokenized)",
        "AV, beam10",  # there is no greedy figure for it
        "10K 27.42 / -",
        "",
        "tokenized BLEU: tokenized",
        "",
    ]
    monkeypatch.setattr(sys, "argv", [*arguments, "--metric", "detokenized", "--table", "2"])
    assert grid.main() == 0
    printed = capsys.readouterr().out
    assert "27.56 / 25.00" in printed and "Table 1" not in printed
    (work / "systems" / "dlg-10k" / "scores.json").write_text("{}")
    assert grid.main() == 1
    assert "not the scores of a recipe" in capsys.readouterr().err
