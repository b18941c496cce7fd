"""The transfer study: its table, and a small run of the parent's phase (the child's: test_quickstart.py)."""

import json
import re
import sys

import pytest
from conftest import ROOT, run_command

STUDY = ROOT / "scripts" / "transfer_study"


def record(folder, row, seed, name, chrf, bleu):
    place = folder / row / f"seed{seed}"
    place.mkdir(parents=True, exist_ok=True)
    system = {
        "scores": {"chrF": chrf, "BLEU": bleu},
        "signatures": {"chrF": "nrefs:1|chrf", "BLEU": "nrefs:1|bleu"},
    }
    (place / f"{name}.json").write_text(json.dumps({"systems": [system]}), encoding="utf-8")
    return place


def table(folder, *options, check=True):
    return run_command(sys.executable, STUDY / "table.py", folder, *options, check=check)


def test_mean_and_spread_over_the_seeds(tmp_path):
    for seed, chrf in ((1, 10.0), (2, 12.0), (3, 14.0)):
        for name in "test", "flores":
            place = record(tmp_path, "scratch", seed, name, chrf, 1.0)
    (place / "train.log").write_text("num. shared model params: 9,000 (num. trained: 8,000)\n")
    record(tmp_path, "zero-shot", 1, "test", 5.0, 0.3)
    record(tmp_path, "zero-shot", 1, "flores", 4.0, 0.2)
    options = ["--rows", "zero-shot,scratch", "--tests", "test,flores"]
    lines = table(tmp_path, *options).stdout.splitlines()
    assert re.split(r"\s{2,}", lines[0]) == [
        "trained", "parameters", "seeds", "test chrF", "test BLEU", "flores chrF", "flores BLEU",
    ]  # fmt: skip
    assert lines[1].split() == "zero-shot 0 1 5.0 0.3 4.0 0.2".split()
    assert lines[2].split() == "scratch 8,000 3 12.0 ± 2.0 1.0 ± 0.0 12.0 ± 2.0 1.0 ± 0.0".split()
    assert lines[3:] == ["chrF: nrefs:1|chrf", "BLEU: nrefs:1|bleu"]


def test_a_missing_row_is_named(tmp_path):
    process = table(tmp_path, "--rows", "enc", check=False)
    assert process.returncode == 1 and process.stderr.count("\n") == 1
    assert "enc has no seedN/test.json: run that row first" in process.stderr


@pytest.mark.slow
def test_the_parent_never_sees_the_script_of_the_child(tmp_path):
    pytest.importorskip("fairseq")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for split, count in ("train", 90), ("valid", 12):
        lines = [f"name {number % 7} of {number % 11}" for number in range(count)]
        for language, letter in ("xx", "x"), ("yy", "ක"), ("si", "ම"):
            # Every ninth line of yy quotes the child's script.
            sources = [
                f"{letter if language != 'yy' or not i % 9 else 'y'} {line[::-1]}"
                for i, line in enumerate(lines)
            ]
            for side, text in (language, sources), ("en", lines):
                path = corpus / f"{split}.{language}-en.{side}"
                path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    command = [
        "bash", STUDY / "run.sh", "--corpus", corpus, "--work", tmp_path / "study", "--cpu",
        "--symbols", 300, "--parent-updates", 2, "--only", "parent",
    ]  # fmt: skip
    env = {"PYTHON_BIN": sys.executable, "PYTHONPATH": str(ROOT)}
    process = run_command(*command, env=env, cwd=tmp_path, timeout=550)
    printed = process.stdout
    assert "train: 170 pairs of 2 languages into English; left out for a character" in printed
    assert re.search(
        r"0D80-0DFF in the text that the BBPE is learned from: 0 \(read [1-9]", printed
    )
    assert re.search(r"in the parent's training and validation data: 0 \(read [1-9]", printed)
    # More updates resume; other text starts over.
    more = [*command[:-4], "--parent-updates", 3, *command[-2:]]
    run_command(*more, env=env, cwd=tmp_path, timeout=550)
    log = (tmp_path / "study" / "parent" / "checkpoints" / "train.log").read_text()
    assert "@ 2 updates" in log and "num_updates 3" in log
