"""The complete WMT 2014 En-De and Ja-En recipes: from synthetic archives to Tables 5 and 6."""

import json
import re
import sys

import made_release as made
import pytest
from conftest import ROOT, run_command
from recipe_helpers import lines_of
from sacrebleu.metrics import BLEU

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500), pytest.mark.usefixtures("needs")]

# The real configurations with smaller sizes; untrained models never end a sentence.
TINY = [
    argument
    for setting in (
        "model.encoder_layers=1", "model.decoder_layers=1", "model.encoder_embed_dim=16",
        "model.decoder_embed_dim=16", "model.encoder_ffn_embed_dim=16", "model.decoder_ffn_embed_dim=16",
        "model.encoder_attention_heads=2", "model.decoder_attention_heads=2",
    )
    for argument in ("--set", setting)
]  # fmt: skip
LIMIT = ("--generate", "--max-len-a 0 --max-len-b 12")


@pytest.fixture(scope="module")
def needs():
    pytest.importorskip("fairseq")
    pytest.importorskip("sacremoses")


def recipe(name, folder, *arguments):
    return run_command(
        "bash", ROOT / "scripts" / name / "run.sh", "--raw", folder / "raw", "--work", folder / "work",
        "--cpu", "--workers", 1, "--updates", 2, *TINY, *LIMIT, *arguments,
        env={"PYTHON_BIN": sys.executable}, timeout=1200,
    )  # fmt: skip


@pytest.fixture
def raw(tmp_path):
    folder = tmp_path / "raw"
    folder.mkdir()
    return folder


def translations(path):
    found = re.findall(r"^D-(\d+)\t\S+\t(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [text for _, text in sorted((int(number), text) for number, text in found)]


def bleu(lines, reference, tokenize="13a"):
    assert len(lines) == len(reference)
    return BLEU(tokenize=tokenize, force=True).corpus_score(lines, [reference]).score


def table_of(printed):
    """The rows of the last table, whose cells are separated by two or more spaces."""
    lines = printed[printed.rindex("T_base, Byte+") :].splitlines()
    return [re.split(r" {2,}", line.strip()) for line in lines]


def row(table, name):
    return next(place for place, cells in enumerate(table) if cells[0] == name)


def test_wmt14_from_the_archives_to_the_table(tmp_path, raw):
    made.write_wmt14(raw)
    systems = ["base_bbpe_2k_gru", "big_bpe_32k"]
    process = recipe("wmt14_en_de", tmp_path, *systems)
    work = tmp_path / "work"
    corpus = work / "corpus"
    sizes = {
        name: [len(lines_of(corpus / f"{name}.en-de.{side}")) for side in ("en", "de")]
        for name in ("train", "valid", "newstest2014", "newstest2014.raw")
    }
    # Of 283 pairs one has an empty side and one 251 words.
    assert sizes == {"train": [281] * 2, "valid": [12] * 2, "newstest2014": [11] * 2, "newstest2014.raw": [11] * 2}  # fmt: skip
    assert "train: 281 of 283 pairs have 1 to 250 words" in process.stdout
    assert re.search(r"^train +lines +4\.5M +281 +differs$", process.stdout, re.MULTILINE)
    for side in ("en", "de"):
        assert lines_of(corpus / f"newstest2014.raw.en-de.{side}")[:2] == made.ODD_TEST[side]
    first = lines_of(corpus / "newstest2014.en-de.en")[0]
    assert first == "He said &quot; R &amp; D &quot; costs &lt; 5 ."
    assert lines_of(corpus / "train.en-de.de")[149] != "Leer ."  # and its neighbour is not lost
    assert ("Yes no .", "Ja nein .") in zip(
        *(lines_of(corpus / f"train.en-de.{side}") for side in ("en", "de"))
    )

    # The paper's figures are printed beside the measured ones: Tables 3 and 4.
    assert "source and target; paper: 48/55" in process.stdout
    assert re.search(
        r"\d\.\d % of the symbols are only part of a character; paper: 4\.3 %", process.stdout
    )
    codes = json.loads((work / "segmentations" / "bbpe_2k" / "codes.json").read_text())
    assert codes["unit"] == "byte" and codes["corpus"] == "train.en-de.en, train.en-de.de"
    # The effective batch is the configuration's: 8 or 16 batches on one device.
    assert "config-name base_gru (cpu=true, update_freq 8)" in process.stderr
    assert "config-name big (cpu=true, update_freq 16)" in process.stderr

    table = table_of(process.stdout)
    for system, name, paper in (
        ("base_bbpe_2k_gru", "T_base, BBPE 2K+", "26.98"),
        ("big_bpe_32k", "T_big, BPE 32K", "28.36"),
    ):
        folder = work / "systems" / system
        tokens = translations(folder / "newstest2014.out")
        text = lines_of(folder / "newstest2014.txt")
        expected = {
            "tokenized": bleu(tokens, lines_of(corpus / "newstest2014.en-de.de"), "none"),
            "detokenized": bleu(text, lines_of(corpus / "newstest2014.raw.en-de.de")),
        }
        scores = json.loads((folder / "scores.json").read_text())
        assert scores["figures"] == {"newstest2014": pytest.approx(expected)}
        place = row(table, name)
        assert table[place] == [name, "paper", paper]
        assert table[place + 1] == ["here, tokenized", f"{expected['tokenized']:.2f}"]
        assert table[place + 2] == ["here, detokenized", f"{expected['detokenized']:.2f}"]
    assert table[row(table, "T_big, Byte+") + 1] == ["here: not run", "-"]
    assert re.search(r"^tokenized: \S+tok:none", process.stdout, re.MULTILINE)
    assert re.search(r"^detokenized: \S+tok:13a", process.stdout, re.MULTILINE)
    # Untrained models run to the length limit, and this is reported.
    assert "newstest2014.out: 11 translations have 12 symbols" in process.stdout

    again = recipe("wmt14_en_de", tmp_path, systems[0])
    assert again.stderr.count("done before, kept") == 4
    assert table_of(again.stdout) == table


def test_ja_en_from_the_archives_to_the_table(tmp_path, raw):
    made.write_ja_en(raw)
    process = recipe("ja_en", tmp_path, "base_bpe_16k_gru")
    work = tmp_path / "work"
    corpus, folder = work / "corpus", work / "systems" / "base_bpe_16k_gru"
    assert re.search(r"^test, TED +lines +8\.5K +12 +differs$", process.stdout, re.MULTILINE)
    sizes = {"kftt": 5, "ted": 12, "jesc": 7}
    scores = json.loads((folder / "scores.json").read_text())
    lines, references = [], []
    for name, size in sizes.items():
        text = translations(folder / f"{name}.out")
        reference = lines_of(corpus / f"{name}.ja-en.en")
        assert len(text) == size and lines_of(folder / f"{name}.txt") == text
        assert scores["figures"][name]["detokenized"] == pytest.approx(bleu(text, reference))
        lines += text
        references += reference
    assert scores["figures"]["all"]["detokenized"] == pytest.approx(bleu(lines, references))
    assert set(scores["figures"]["all"]) == {"tokenized", "detokenized"}
    assert "|tokenized-by:moses" in scores["signatures"]["tokenized"]
    dictionary = work / "segmentations" / "bpe_16k" / "bin" / "ja-en" / "dict.ja.txt"
    assert dictionary.read_bytes() == dictionary.with_name("dict.en.txt").read_bytes()
    table = table_of(process.stdout)
    place = row(table, "T_base, BPE 16K+")
    assert table[place][1:] == ["paper", "23.63", "16.15", "16.18", "17.19"]
    assert table[place + 2] == [
        "here, detokenized",
        *(f"{scores['figures'][name]['detokenized']:.2f}" for name in (*sizes, "all")),
    ]
