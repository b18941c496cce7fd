"""Figure 4 of the X-En recipe: every vocabulary with every context, as a table and a picture."""

import os
import sys

import pytest
from conftest import ROOT, run_command

sys.path.insert(0, str(ROOT / "scripts" / "recipes"))
from systems import read_systems

from fairseq_subword_ext.evaluation.score_record import ScoreRecord, SystemRecord

FOLDER = ROOT / "scripts" / "ted58_x_en"
SYSTEMS = FOLDER / "systems.tsv"


def test_each_vocabulary_has_each_context_once():
    found = {}
    for system in read_systems(SYSTEMS):
        columns = system.columns
        key = columns["vocabulary"], columns["context"]
        assert key not in found, system.name
        found[key] = columns
        kind = {"none": "base", "conv": "base_conv", "gru": "base_gru"}[columns["context"]]
        assert columns["config"] == kind
        config = (ROOT / "configs" / "ted58_x_en" / f"{kind}.yaml").read_text("utf-8")
        assert f"embedding_context: {columns['context']}\n" in config
    vocabularies = {vocabulary for vocabulary, _ in found}
    assert len(found) == 3 * len(vocabularies) == 18
    for vocabulary in vocabularies:  # rows that differ only in the context share their data
        rows = [columns for (name, _), columns in found.items() if name == vocabulary]
        assert len({(r["segmentation"], r["encoder"], r["learn"]) for r in rows}) == 1


def write_score(work, system, vocabulary, context, bleu):
    folder = work / "systems" / system
    folder.mkdir(parents=True)
    settings = {"vocabulary": vocabulary, "context": context}
    record = SystemRecord(system, "valid.out", "D-", 9, settings, {"BLEU": bleu}, {"BLEU": "sig"})
    ScoreRecord({}, [record]).save(folder / "valid.json")


def test_the_figure_of_the_results_so_far(tmp_path):
    pytest.importorskip("matplotlib")
    run = [sys.executable, FOLDER / "figure4.py", SYSTEMS, "--work", tmp_path]
    environment = {
        "PYTHONPATH": f"{ROOT / 'scripts' / 'recipes'}:{os.environ.get('PYTHONPATH', '')}"
    }
    process = run_command(*run, "--draw", tmp_path / "f", env=environment, check=False)
    assert process.returncode == 1 and "no system was scored yet" in process.stderr
    write_score(tmp_path, "byte", "Byte", "none", 25.0)
    write_score(tmp_path, "byte_gru", "Byte", "gru", 26.5)
    write_score(tmp_path, "bbpe_4k_conv", "BBPE 4K", "conv", 24.0)
    process = run_command(*run, "--draw", tmp_path / "f", env=environment)
    lines = process.stdout.splitlines()
    assert lines[0].split() == ["BLEU,", "validation", "none", "conv", "gru"]
    rows = {line[:18].strip(): line[18:].split() for line in lines[1:7]}
    assert rows["Byte"] == ["25.00", "-", "26.50", "(+6.0", "%)"]
    assert rows["BBPE 4K"] == ["-", "24.00", "-"]
    assert rows["BPE 32K"] == ["-", "-", "-"]
    assert lines[7] == "tokenized BLEU: sig" and lines[8].endswith("f.png")
    picture = (tmp_path / "f.svg").read_text("utf-8")
    assert all(word in picture for word in ("Byte", "BBPE 4K", "gru", "26.50"))
