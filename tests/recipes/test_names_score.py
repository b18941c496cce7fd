"""scripts/names_x_en/score.py: scores Fairseq's output against the raw text."""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sacrebleu.metrics import BLEU, CHRF

ROOT = Path(__file__).resolve().parents[2]
SCORE = ROOT / "scripts" / "names_x_en" / "score.py"

NAMES = {
    "aa": [("берлін", "Berlin"), ("нова гвінея", "New Guinea"), ("Paris", "paris")],
    "bb": [("ברלין", "Berlin"), ("a\u2028b", "A\u2028B")],
}
TRANSLATIONS = ["Berlin", "New Guinee", "Paris", "Bernil", "A\u2028B"]


def write_corpus(folder, names):
    for language, pairs in names.items():
        for side, suffix in enumerate((language, "en")):
            text = "".join(pair[side] + "\n" for pair in pairs)
            (folder / f"test.{language}-en.{suffix}").write_bytes(text.encode())


def output(names, translations, kinds="STHD"):
    """Output of fairseq-generate, with sentences in arbitrary order, as from its batches."""
    blocks = []
    pairs = [pair for language in names.values() for pair in language]
    for number, ((source, english), text) in enumerate(zip(pairs, translations)):
        parts = {
            "S": f"S-{number}\t{source}\n",
            "T": f"T-{number}\t{english}\n",
            "H": f"H-{number}\t-0.25\t▁seg men ted\n",
            "D": f"D-{number}\t-0.25\t{text}\nP-{number}\t-0.1 -0.4\n",
        }
        blocks.append("".join(parts[kind] for kind in kinds))
    random.Random(1).shuffle(blocks)
    return (
        "2026-01-01 | INFO | D-9 is no such line\n" + "".join(blocks) + "Generate test: BLEU4 = 1\n"
    )


def run_score(*arguments):
    return subprocess.run(
        [sys.executable, str(SCORE), *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )


@pytest.fixture
def files(tmp_path):
    write_corpus(tmp_path, NAMES)
    (tmp_path / "out").write_bytes(output(NAMES, TRANSLATIONS).encode())
    return ["--system", tmp_path / "out", "--corpus", tmp_path]


def test_scores_equal_sacrebleu_on_the_raw_references(files, tmp_path):
    result = run_score(*files, "--json", tmp_path / "scores.json")
    assert result.returncode == 0, result.stderr
    record = json.loads((tmp_path / "scores.json").read_text())
    scores = record["scores"]
    assert scores["aa"]["system"]["exact"] == pytest.approx(100 / 3)
    assert scores["bb"]["system"]["exact"] == 50
    assert scores["all"]["system"]["exact"] == 40
    assert scores["all"]["copy"]["exact"] == 0
    for language, names in (
        ("aa", NAMES["aa"]),
        ("bb", NAMES["bb"]),
        ("all", NAMES["aa"] + NAMES["bb"]),
    ):
        systems = {"copy": [source for source, _ in names]}
        systems["system"] = {"aa": TRANSLATIONS[:3], "bb": TRANSLATIONS[3:], "all": TRANSLATIONS}[
            language
        ]
        references = [[english for _, english in names]]
        for who, texts in systems.items():
            chrf, bleu = CHRF(), BLEU()
            assert scores[language][who]["chrf"] == chrf.corpus_score(texts, references).score
            assert scores[language][who]["bleu"] == bleu.corpus_score(texts, references).score
    assert record["signatures"] == {
        "chrF": str(chrf.get_signature()),
        "BLEU": str(bleu.get_signature()),
    }
    for signature in record["signatures"].values():
        assert signature in result.stdout
    row = next(line.split() for line in result.stdout.splitlines() if line.startswith("all"))
    assert row[:4] == ["all", "5", "40.0", "0.0"]


def test_scores_below_those_of_copying_are_marked(files, tmp_path):
    assert "<" not in run_score(*files).stdout
    (tmp_path / "out").write_bytes(output(NAMES, ["x"] * 5).encode())
    lines = run_score(*files).stdout.splitlines()
    row = next(number for number, line in enumerate(lines) if line.startswith("all"))
    # Copying gives no exact match and no BLEU here, so only chrF can be worse than it.
    assert re.fullmatch(r"all +5 +0\.0 +0\.0 +0\.0 +< +7\.6 +0\.0 +0\.0", lines[row])
    assert lines[row + 1] == (
        "< Over all languages, worse than copying the source: chrF 0.0 (copying: 7.6); train longer."
    )


def test_every_sample_line_shows_source_output_and_reference(files):
    printed = run_score(*files).stdout
    samples = printed.split("\n\n")[1:]
    assert len(samples) == 5  # as many as there are lines
    everything = [pair for language in NAMES.values() for pair in language]
    for (source, english), text in zip(everything, TRANSLATIONS):
        block = f"source     {source}\n        output     {text}\n        reference  {english}"
        assert block in printed
    assert run_score(*files).stdout == printed
    assert run_score(*files, "--seed", "2").stdout != printed


def test_samples_come_from_different_languages(tmp_path):
    names = {f"l{i:02}": [(f"s{i}-{j}", f"e{i}-{j}") for j in range(20)] for i in range(12)}
    write_corpus(tmp_path, names)
    (tmp_path / "out").write_text(output(names, ["x"] * 240))
    printed = run_score("--system", tmp_path / "out", "--corpus", tmp_path).stdout
    languages = [block.split()[0] for block in printed.split("\n\n")[1:]]
    assert len(set(languages)) == len(languages) == 10


@pytest.mark.parametrize("kinds", ["H", "HD", "STH"])
def test_lines_are_recognized_by_their_kind(tmp_path, kinds):
    write_corpus(tmp_path, NAMES)
    (tmp_path / "out").write_bytes(output(NAMES, TRANSLATIONS, kinds).encode())
    printed = run_score("--system", tmp_path / "out", "--corpus", tmp_path).stdout
    assert ("output     Bernil" in printed) == ("D" in kinds)
    assert ("output     ▁seg men ted" in printed) == ("D" not in kinds)


def test_best_of_several_translations_counts(files, tmp_path):
    text = (tmp_path / "out").read_bytes().decode()
    text = text.replace("P-0\t", "H-0\t-9\t▁worse\nD-0\t-9\tworse\nP-0\t")
    (tmp_path / "out").write_bytes(text.encode())
    assert "worse" not in run_score(*files).stdout


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("D-3\t", "X-3\t").replace("H-3\t", "X-3\t"), "number 3"),
        (lambda text: text + "H-5\t-1\tx\nD-5\t-1\tx\n", "has 6 translations"),
        (lambda text: "nothing\n", "no H- or D- line"),
        (lambda text: text.replace("S-3\t", "S-3\tother").replace("S-4\t", "S-4\tother"), "(bb)"),
        (lambda text: text.replace("T-0\t", "T-0\tother").replace("T-1\t", "T-1\tother"), "(aa)"),
    ],
)
def test_output_of_other_lines_is_refused(files, tmp_path, change, said):
    text = change((tmp_path / "out").read_bytes().decode())
    (tmp_path / "out").write_bytes(text.encode())
    result = run_score(*files)
    assert result.returncode == 1
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_one_cut_source_line_is_no_reason_to_refuse(files, tmp_path):
    text = (tmp_path / "out").read_bytes().decode().replace("S-1\tнова гвінея", "S-1\tнова гв")
    (tmp_path / "out").write_bytes(text.encode())
    assert run_score(*files).returncode == 0


def test_languages_in_another_order(files):
    result = run_score(*files, "--langs", "bb,aa")
    assert result.returncode == 1
    assert "--langs" in result.stderr


def test_missing_corpus_is_named(tmp_path, files):
    result = run_score("--system", tmp_path / "out", "--corpus", tmp_path, "--split", "dev")
    assert result.returncode == 1
    assert "dev.xx-en.en" in result.stderr
    (tmp_path / "test.bb-en.en").write_text("Berlin\n")
    result = run_score(*files)
    assert result.returncode == 1
    assert "2 lines" in result.stderr
