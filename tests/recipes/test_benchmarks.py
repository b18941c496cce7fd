"""The benchmarks run on small inputs and print their tables."""

import json
import re
import sys

import pytest
from conftest import ROOT, run_command

pytestmark = pytest.mark.slow


def benchmark(name, *arguments):
    """Runs one of scripts/benchmarks with the tests' interpreter."""
    script = ROOT / "scripts" / "benchmarks" / name
    start = ["bash", script] if script.suffix == ".sh" else [sys.executable, script]
    environment = {"PYTHON_BIN": sys.executable, "PYTHONPATH": str(ROOT)}
    return run_command(*start, *arguments, env=environment).stdout


def test_models():
    pytest.importorskip("fairseq")
    small = "--rounds 1 --updates 1 --sentences 2 --mean-length 5 --max-tokens 50 --vocabulary 300"
    printed = benchmark("model.py", "--arch", "contextualized_transformer_tiny", *small.split())
    rows = re.findall(r"^(\w+) +(\d+) +(\d\.\d{3}) +(\d\.\d{3})$", printed, re.MULTILINE)
    assert [row[0] for row in rows] == ["none", "conv", "gru", "example"] * 2
    assert all(int(row[1]) > 0 for row in rows)
    for table in rows[:4], rows[4:]:
        (plain, *_), *_, (example, *_) = ((float(row[2]), float(row[3])) for row in table)
        assert plain == 1.0 and float(table[3][3]) == 1.0 and example > 0


def test_many_word_types(tmp_path):
    path = tmp_path / "record.json"
    call = ("--types", "0.01,0.02", "--merges", 50, "--seed", 3, "--record", path)
    printed = benchmark("many_types.py", *call)
    rows = re.findall(r"^\| (0\.0[12]) M \| `([\w-]+)` \| [\d.]+ \|", printed, re.MULTILINE)
    measures = ["frequency", "av-weighted", "dlg-weighted"]
    assert rows == [(types, measure) for types in ("0.01", "0.02") for measure in measures]
    record = json.loads(path.read_text("utf-8"))
    assert record["command"].startswith("python scripts/benchmarks/many_types.py --types 0.01,0.02")
    assert record["seeds"] == [3] and record["processor"] and record["versions"]["python"]
    assert [row["measure"] for row in record["rows"]] == measures * 2


def test_many_files():
    small = "--files 4 --rounds 1 --workers 2 --merges 200 --megabytes 0.05".split()
    printed = benchmark("many_files.py", *small)
    rows = re.findall(r"^\| (one call|zcat)\b", printed, re.MULTILINE)
    assert sorted(rows) == ["one call"] * 4 + ["zcat"] * 2


def test_bytes():
    pytest.importorskip("fairseq")
    printed = benchmark("bytes.py", "--lines", 300, "--rounds", 1, "--symbols", 300)
    for job, candidates in {
        "learn": ["learn_bpe, unit char", "learn_bpe, unit byte"],
        "encode, first time": ["fairseq byte_bpe", "bbpe, byte codes", "bbpe, SentencePiece model"],
        "decode": ["fairseq smart_byte_decode", "bbpe"],
    }.items():
        for candidate in candidates:
            row = rf"^\| {job} \| {candidate} \| [\d.]+ \| [\d.]+ \|$"
            assert re.search(row, printed, re.MULTILINE)


def test_exported_models():
    pytest.importorskip("fairseq")
    pytest.importorskip("onnxruntime")
    printed = benchmark("exported.py", "--presets", "tiny", "--rounds", 1)
    rows = re.findall(
        r"^\| tiny \| 2000 \| 12 \| 32 \| (\S.*?) +\| +[\d.]+ \|", printed, re.MULTILINE
    )
    assert rows == ["fairseq-generate", "translate", "translate, int8"]


def test_segmentations(tmp_path):
    texts = [tmp_path / name for name in ("train.de", "train.en", "test.de")]
    for text in texts:
        text.write_text("low lower newest\n" * 9, encoding="utf-8")
    benchmark("segmentations.py", *texts, "--record", tmp_path / "record.json")
    record = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert record["command"].endswith("segmentations.py train.de train.en test.de")
    assert [row["name"] for row in record["segmentations"]] == ["characters", "BPE-8K", "BBPE-4K"]
    assert record["raw"][0]["tokens"] == 27 and record["segmentations"][0]["tokens"] == 9 * 16
    assert set(record["signatures"]) == {"BPE-8K", "BBPE-4K"}
