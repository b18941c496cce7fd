"""The complete recipes of Wu & Zhao 2018: from synthetic text in the raw formats to their tables."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
import wu_zhao_raw as raw
from conftest import ROOT, run_command
from recipe_helpers import TINY_LSTM, lines_of
from sacrebleu.metrics import BLEU

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500), pytest.mark.usefixtures("needs")]


@pytest.fixture(scope="module")
def needs():
    pytest.importorskip("fairseq")
    pytest.importorskip("sacremoses")


def run_recipe(recipe, work, *arguments, check=True):
    """Runs run.sh with this Python, on the CPU."""
    return run_command(
        "bash", ROOT / "scripts" / recipe / "run.sh", "--work", work, "--cpu", "--workers", 1,
        "--updates", 4, *TINY_LSTM, *arguments,
        env={"PYTHON_BIN": sys.executable, "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        check=check, timeout=1200,
    )  # fmt: skip


def translations(path):
    """The decoded lines of fairseq-generate's output, in order."""
    found = re.findall(r"^D-(\d+)\t\S+\t(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [text for _, text in sorted((int(number), text) for number, text in found)]


def bleu(lines, reference, tokenize):
    return BLEU(tokenize=tokenize, force=True).corpus_score(lines, [reference]).score


def cells_of(printed, table, row):
    """The cells of a table row, which are separated by two or more spaces."""
    block = printed[printed.index(f"{table}:") :].split("\n\n")[0].split("\n")
    header = re.split(r"\s{2,}", block[1].strip())
    cells = next(re.split(r"\s{2,}", line.strip()) for line in block if line.startswith(row))
    return dict(zip(header, cells[1:]))


def check_scores(work, system, figure, reference):
    """Recomputes both BLEU scores of a system from Fairseq's output."""
    folder = work / "systems" / system
    corpus = work / "corpus"
    tokenized = translations(folder / f"{figure}.out")
    scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    expected = bleu(tokenized, lines_of(corpus / f"test.{reference}"), "none")
    assert scores["figures"][figure]["tokenized"] == pytest.approx(expected)
    running = bleu(
        lines_of(folder / f"{figure}.txt"), lines_of(corpus / f"test.raw.{reference}"), "13a"
    )
    assert scores["figures"][figure]["detokenized"] == pytest.approx(running)
    assert "tok:none" in scores["signatures"]["tokenized"]
    assert "tok:13a" in scores["signatures"]["detokenized"]
    return expected


def test_iwslt14_from_the_archive_to_the_tables(tmp_path):
    source, work = tmp_path / "source", tmp_path / "work"
    source.mkdir()
    raw.write_tgz(source / "de-en.tgz", raw.iwslt_files(), "de-en")
    systems = ["frq-weighted-10k", "dlg-weighted-10k"]
    process = run_recipe("iwslt14_de_en", work, "--raw", source, "--valid", 20, *systems)
    corpus = work / "corpus"
    sides = {
        split: [lines_of(corpus / f"{split}.de-en.{language}") for language in ("de", "en")]
        for split in ("train", "valid", "test", "test.raw")
    }
    # 300 sentences, titles and descriptions of six talks, and of the four odd lines two: 51 words and
    # the pair with an empty side are left out.
    sizes = {split: [len(side) for side in pair] for split, pair in sides.items()}
    assert sizes == {"train": [294] * 2, "valid": [20] * 2, "test": [47] * 2, "test.raw": [47] * 2}
    assert max(len(line.split()) for side in sides["train"] + sides["valid"] for line in side) == 50
    assert sides["test.raw"][1][0] == "It’s the dog’s house."
    assert sides["test"][1][0] == "It &apos;s the dog &apos;s house ."
    german, said = raw.RAW_TEST[1]
    assert said in sides["test.raw"][0] and german != said
    assert re.search(r"^valid +lines +6,969 +20 +differs$", process.stdout, re.MULTILINE)

    codes = json.loads((work / "segmentations/dlg-weighted-10k/codes.json").read_text())
    assert codes["measure"] == "dlg-weighted" and codes["merges_asked"] == 10000
    assert codes["corpus"] == "train.de-en.de, train.de-en.en"
    dictionaries = [
        work / f"segmentations/dlg-weighted-10k/bin/de-en/dict.{x}.txt" for x in ("de", "en")
    ]
    assert dictionaries[0].read_bytes() == dictionaries[1].read_bytes()

    printed = process.stdout
    row = cells_of(printed, "Table 2", "10K")
    for system, label, paper in (
        ("frq-weighted-10k", "FRQ'", {"greedy": "27.36", "beam10": "28.86"}),
        ("dlg-weighted-10k", "DLG'", {"greedy": "27.56", "beam10": "29.25"}),
    ):
        for figure, figure_of_paper in paper.items():
            found = check_scores(work, system, figure, "de-en.en")
            cell = row[f"{label}, {figure}"]
            assert re.fullmatch(rf"{figure_of_paper} / {found:.2f}( [+-]+)?", cell), cell
    assert row["AV', beam10"] == "29.02 / -"
    tests = json.loads((work / "significance/dlg-weighted-10k.beam10.json").read_text())
    assert [(t["test"], t["system"], t["baseline"]) for t in tests["significance"]] == [
        ("sign-corpus", "dlg-weighted-10k", "frq-weighted-10k")
    ]
    assert set(cells_of(printed, "Figure 2", "10K")) == {"FRQ'", "DLG'"}

    again = run_recipe("iwslt14_de_en", work, "--raw", source, "--valid", 20, systems[0])
    assert again.stderr.count("done before, kept") == 5
    assert cells_of(again.stdout, "Table 2", "10K") == row


def test_news_commentary_from_the_table_to_the_table(tmp_path):
    source, work = tmp_path / "source", tmp_path / "work"
    source.mkdir()
    pairs = raw.news_pairs(300)
    raw.write_news_table(source / "news-commentary-v12.zh-en.tsv", pairs)
    process = run_recipe(
        "news_commentary_zh_en", work, "--raw", source, "--valid", 20, "--test", 30, "frq-av"
    )
    corpus = work / "corpus"
    sizes = {
        split: len(lines_of(corpus / f"{split}.zh-en.zh")) for split in ("train", "valid", "test")
    }
    assert sizes == {"train": 250, "valid": 20, "test": 30}
    drawn = {
        (lines_of(corpus / "test.raw.zh-en.zh")[n], lines_of(corpus / "test.raw.zh-en.en")[n])
        for n in range(30)
    }
    assert drawn <= set(filter(None, pairs))
    # Chinese is not split into words, English is tokenized.
    assert set(lines_of(corpus / "test.zh-en.zh")) == {chinese for chinese, _ in drawn}
    assert all(line.endswith(" .") for line in lines_of(corpus / "train.zh-en.en"))
    folder = work / "segmentations" / "frq-av"
    measures = [
        json.loads((folder / name).read_text()) for name in ("codes.json", "codes.target.json")
    ]
    assert [(m["measure"], m["corpus"]) for m in measures] == [
        ("frq-weighted", "train.zh-en.zh"),
        ("av-weighted", "train.zh-en.en"),
    ]
    found = check_scores(work, "frq-av", "beam10", "zh-en.en")
    cell = cells_of(process.stdout, "Table 3", "FRQ'")["AV', beam10"]
    assert cell == f"20.27 / {found:.2f}"


def test_missing_files_and_mistyped_names_stop_a_recipe_at_once(tmp_path):
    (tmp_path / "empty").mkdir()
    process = run_recipe(
        "iwslt14_de_en", tmp_path / "work", "--raw", tmp_path / "empty", "frq-10k", check=False
    )
    assert process.returncode != 0 and "de-en.tgz" in process.stderr
    assert "wit3.fbk.eu" in process.stderr and "Traceback" not in process.stderr
    process = run_recipe("news_commentary_zh_en", tmp_path / "work", "frq-avv", check=False)
    assert process.returncode != 0 and "no system 'frq-avv'" in process.stderr
    assert not Path(tmp_path / "work" / "corpus").exists()
