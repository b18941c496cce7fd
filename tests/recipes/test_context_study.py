"""The study of contexts: its table, and a small run of the whole study."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "scripts" / "context_study"


@pytest.fixture(scope="module")
def run_command():
    # Loaded by path, since another folder's conftest may have the same name.
    import importlib.util

    spec = importlib.util.spec_from_file_location("main_conftest", ROOT / "tests" / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.run_command


def scores(study, unit, context, seed, chrf, bleu=0.0, exact=0.0):
    folder = study / unit / context / f"seed{seed}"
    folder.mkdir(parents=True)
    record = {
        "scores": {"all": {"system": {"chrf": chrf, "bleu": bleu, "exact": exact}}},
        "signatures": {"chrF": "nrefs:1|version:2.6.0"},
    }
    (folder / "scores.json").write_text(json.dumps(record), encoding="utf-8")


def table(run_command, study, *options, check=True):
    return run_command(sys.executable, STUDY / "table.py", study, *options, check=check)


def test_mean_spread_and_gain_by_seed(tmp_path, run_command):
    for seed, none, gru in ((1, 10.0, 13.0), (2, 12.0, 14.0), (3, 14.0, 18.0)):
        scores(tmp_path, "bytes", "none", seed, none, bleu=1.0)
        scores(tmp_path, "bytes", "gru", seed, gru, bleu=seed, exact=50.0)
    process = table(run_command, tmp_path, "--contexts", "none,gru", "--units", "bytes")
    lines = process.stdout.splitlines()
    assert lines[1].split() == "bytes none 12.00 ± 2.00 1.00 ± 0.00 0.00 ± 0.00".split()
    # Gains 3, 2 and 4.
    expected = "bytes gru 15.00 ± 2.65 2.00 ± 1.00 50.00 ± 0.00 3.00 ± 1.00"
    assert lines[2].split() == expected.split()
    assert lines[3:] == [
        "mean ± standard deviation of 3 seeds: 1, 2, 3",
        "chrF: nrefs:1|version:2.6.0",
    ]


def test_one_seed_has_no_spread(tmp_path, run_command):
    scores(tmp_path, "bbpe", "conv", 7, 10.0)
    options = ["--contexts", "conv", "--units", "bbpe", "--seeds", "7"]
    lines = table(run_command, tmp_path, *options).stdout.splitlines()
    assert lines[1].split() == ["bbpe", "conv", "10.00", "0.00", "0.00"]


def test_a_missing_run_is_named(tmp_path, run_command):
    process = table(run_command, tmp_path, check=False)
    assert process.returncode == 1
    assert "bytes/none/seed1/scores.json" in process.stderr
    assert process.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_small_study(tmp_path, run_command):
    pytest.importorskip("fairseq")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for split, count in ("train", 120), ("valid", 12), ("test", 9):
        lines = [f"name {number % 7} of {number % 11}" for number in range(count)]
        for side, text in ("xx", [line[::-1] for line in lines]), ("en", lines):
            path = corpus / f"{split}.xx-en.{side}"
            path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    command = [
        "bash", STUDY / "run.sh", "--corpus", corpus, "--work", tmp_path / "study", "--cpu",
        "--updates", 3, "--max-tokens", 500, "--seeds", "2", "--contexts", "none,gru",
        "--units", "bytes,bbpe", "--symbols", 300,
    ]  # fmt: skip
    env = {"PYTHON_BIN": sys.executable, "PYTHONPATH": str(ROOT)}
    process = run_command(*command, env=env, cwd=tmp_path, timeout=550)
    lines = process.stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("unit"))
    assert [line.split()[:2] for line in lines[start + 1 : start + 5]] == [
        ["bytes", "none"],
        ["bytes", "gru"],
        ["bbpe", "none"],
        ["bbpe", "gru"],
    ]
    log = (tmp_path / "study" / "bbpe" / "gru" / "seed2" / "train.log").read_text()
    assert "GRUContext" in log
    assert "GRUContext" not in (tmp_path / "study/bytes/none/seed2/train.log").read_text()
    # The second call has nothing left to do.
    again = run_command(*command, env=env, cwd=tmp_path)
    assert again.stdout.splitlines()[-8:] == lines[-8:]
    assert "updates" not in again.stderr
