"""The recipe of Wang, Cho & Gu 2020 for the TED talks, from made tables to Table 7 and Figure 4."""

import argparse
import random
import re
import tarfile

import pytest
from conftest import ROOT
from made_talks import write_talks
from recipe_helpers import (
    TINY_TRANSFORMER,
    bleu,
    lines_of,
    recipe,
    scores_of,
    table_rows,
    translations,
)
from recipes.engine import sizes
from recipes.engine.run import Run
from recipes.engine.systems import read_systems
from recipes.ted58_x_en import recipe as ted
from recipes.text import pieces
from recipes.text.corpus_files import find_languages, read_pairs

from fairseq_subword_ext.evaluation.score_record import ScoreRecord, SystemRecord
from fairseq_subword_ext.textio.indexed_dataset import IndexedDatasetReader
from fairseq_subword_ext.textio.tables import render

NAME = "ted58_x_en"
ROWS = read_systems(ted.RECIPE.home / "systems.tsv")
HEADER = ["talk_name", "en", "pt-br", "calv", "be"]
# Symbols of a segmentation, including Fairseq's four; the characters are the paper's 11K.
SYMBOLS = {"bytes": 260, "chars": 11004, "bbpe_2k": 2052, "bbpe_4k": 4100, "bpe_16k": 16388, "bpe_32k": 32772}  # fmt: skip


@pytest.fixture
def talks(tmp_path):
    rows = [
        ["t1", "It &apos;s a test .", "um \u2028 teste", "x", "__NULL__"],
        ["t1", " two ", 'a "quoted" cell', "x", "два"],
        ["t2", "__NULL__", "sem inglês", "x", "без"],
        ["t2", "three", "_ _ NULL _ _", "x", "т\rры"],
        ["t2", "four", "", "x", "чатыры"],
    ]
    write_talks(tmp_path / "raw", HEADER, {"train": rows, "dev": rows[:2], "test": rows[3:]})
    return tmp_path


def build(folder, languages=(), lines=None):
    (folder / "out").mkdir(exist_ok=True)
    ted.build(argparse.Namespace(raw=[folder / "raw"], out=folder / "out", languages=languages, lines=lines))  # fmt: skip
    return folder / "out"


def test_missing_cells_are_skipped_and_the_rest_is_unchanged(talks, capsys):
    out = build(talks)
    assert find_languages(out, "train") == ["be", "pt_br"]
    assert read_pairs(out, "train", "pt_br") == [
        ("um \u2028 teste", "It &apos;s a test ."),
        ('a "quoted" cell', "two"),
    ]
    assert read_pairs(out, "train", "be") == [
        ("два", "two"), ("т ры", "three"), ("чатыры", "four"),
    ]  # fmt: skip
    assert read_pairs(out, "valid", "be") == [("два", "two")]
    assert read_pairs(out, "test", "pt_br") == []
    printed = capsys.readouterr().out
    rows = [line.split() for line in printed.splitlines()]
    assert rows[1:4] == [["be", "3", "1", "2"], ["pt_br", "2", "2", "0"], ["all", "5", "3", "2"]]
    assert "cells with a carriage return, now a space: 2" in printed
    assert "rows without English: 1" in printed


def test_some_languages_and_lines(talks):
    out = build(talks, languages=["be"], lines=2)
    assert find_languages(out, "train") == ["be"]
    assert [len(read_pairs(out, split, "be")) for split in ("train", "test")] == [2, 2]
    with pytest.raises(ValueError, match="no column for xx; it has pt_br, be"):
        build(talks, languages=["be", "xx"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n", ":1: expected a header with talk_name, en and other languages"),
        ("talk_name\ten\tbe\nt\tx\n", ":2: 2 cells, the header has 3: the file is truncated"),
        ("talk_name\ten\tbe\n", "a header and no rows"),
    ],
)
def test_a_damaged_table(talks, text, message):
    (talks / "raw" / "all_talks_train.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        build(talks)


def test_another_archive_or_a_web_page_is_refused(talks):
    arguments = [NAME, "--work", talks / "work", "--raw", talks, "--cpu"]
    archive = talks / "ted_talks.tar.gz"
    with tarfile.open(archive, "w:gz") as stream:
        stream.add(talks / "raw" / "all_talks_dev.tsv", "all_talks_dev.tsv")
    for path in (talks / "raw").iterdir():
        path.unlink()
    error = recipe(*arguments, check=False).stderr.splitlines()[-1]
    assert "not the expected file: its SHA-256 is" in error and "not 03457b9e" in error
    archive.write_text("<!DOCTYPE html><title>x</title>", encoding="utf-8")
    error = recipe(*arguments, check=False).stderr.splitlines()[-1]
    assert "it is a web page; see https://github.com/neulab" in error


def test_each_vocabulary_has_each_context_once():
    found = {(row["vocabulary"], row["context"]): row for row in ROWS}
    vocabularies = {vocabulary for vocabulary, _ in found}
    assert len(ROWS) == len(found) == 3 * len(vocabularies) == 18
    for vocabulary in vocabularies:  # rows that differ only in the context share their data
        rows = [row for (name, _), row in found.items() if name == vocabulary]
        assert len({(r["segmentation"], r["encoder"], r["learn"], r["config"]) for r in rows}) == 1
        borders = "--borders sentencepiece" in rows[0]["learn"]
        assert borders == vocabulary.startswith("BBPE")
        assert (rows[0]["encoder"] == "sentencepiece") == vocabulary.startswith("BPE")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_has_the_papers_settings(row):
    helpers = pytest.importorskip("model_helpers")
    cfg = helpers.compose(ROOT / "configs" / NAME, row["config"], *row.flags("set"))
    layers = (6, 512, 2048, 8, 0.2)  # T_base, with the dropout of X-En
    assert helpers.sizes(cfg.model) == (layers, layers)
    assert cfg.model.embedding_context == row["context"]
    assert cfg.task.valid_sample == 22000
    if row["table"] == "7":
        assert row["row"].endswith("+") == (row["context"] == "gru")
        parameters = helpers.count(helpers.build_composed(cfg, SYMBOLS[row["segmentation"]]))
        # BBPE 2K+ has 46.4M by count, and 46M or 47M in the paper.
        assert abs(parameters / 1e6 - int(row["parameters"].rstrip("M"))) < 1
        assert len(row.figures) == 9 and all(row.figures.values())


def test_the_size_of_a_vocabulary_is_known_when_the_corpus_is_there(talks):
    """The text is a pattern, which matches the files of all languages."""
    corpus = build(talks)
    run = Run(talks)
    (row,) = [row for row in ROWS if row.name == "bpe_16k"]
    step = ted.RECIPE.segment_steps(run, row)[0]
    corpus.rename(run.corpus)
    texts = "".join(path.read_text("utf-8") for path in run.corpus.glob("train.*"))
    characters = len(set(texts) - set(" \n")) + 1  # and the space
    (size,) = sizes.sizes([step])
    assert (size.asked, size.base, size.left) == (16384, characters, 16384 - characters)


def test_pieces_become_fairseqs_data_with_one_dictionary(talks, monkeypatch):
    sentencepiece = pytest.importorskip("sentencepiece")
    corpus, codes, data = build(talks), talks / "codes", talks / "bin"
    with (corpus / "test.be-en.be").open("a", encoding="utf-8") as stream:
        stream.write("два жук\n\n")

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["pieces.py", *map(str, arguments)])
        assert pieces.main() == 0

    run("learn", "-s", 60, "-i", corpus / "train.*-en.*", "-o", codes)
    run("binarize", "-c", codes, "-i", corpus, "--splits", "train", "valid", "test", "-o", data)
    dictionaries = {(data / f"dict.{language}.txt").read_text("utf-8") for language in ("be", "pt_br", "en")}  # fmt: skip
    (content,) = dictionaries
    model = sentencepiece.SentencePieceProcessor(model_file=str(codes))
    symbols = ["<s>", "<pad>", "</s>", "<unk>", *(line[:-2] for line in content.split("\n")[:-1])]
    for split, language in (("train", "pt_br"), ("valid", "be"), ("test", "be")):
        text = corpus / f"{split}.{language}-en.{language}"
        expected = [
            [piece if piece in symbols else "<unk>" for piece in model.encode(line, out_type=str)]
            for line in lines_of(text)
        ]
        reader = IndexedDatasetReader(data / text.name)
        found = [symbols[number] for block in reader.ids() for number in block]
        assert found == [symbol for line in expected for symbol in (*line, "</s>")]
        lengths = [int(length) for block in reader.sizes() for length in block]
        assert lengths == [len(line) + 1 for line in expected]
    assert "<unk>" in expected[2] and expected[3] == []


def test_all_rows_are_planned():
    ran = recipe(NAME, "--cpu", "--work", "/nowhere/ted", "--dry-run", "--languages", "be,gl", "--figure4", *(r.name for r in ROWS))  # fmt: skip
    assert set(re.findall(r"update_freq=\[(\d+)\]", ran.stdout)) == {"8"}  # as on eight devices
    assert ran.stdout.count("--gen-subset valid") == ran.stdout.count("fairseq-hydra-train") == 18
    assert len(re.findall(r"^# binarize ", ran.stdout, re.MULTILINE)) == 6
    assert re.search(r"engine.corpus .*--languages be,gl", ran.stdout.replace("\\\n", ""))


def write_score(work, system, bleu_found):
    folder = work / "systems" / system
    folder.mkdir(parents=True)
    record = SystemRecord(
        "all", "valid.out", "D-", 9, {"decoding": "valid.all", "seed": 1},
        {"tokenized BLEU": bleu_found}, {"tokenized BLEU": "sig"},
    )  # fmt: skip
    ScoreRecord({}, [record]).save(folder / "valid.json")


def test_figure_4_of_the_results_so_far(tmp_path):
    pytest.importorskip("matplotlib")
    run = Run(tmp_path)
    assert ted.figure4(run, ROWS) is None and ted.RECIPE.pictures(run, ROWS) == []
    for system, score in (("byte", 25.0), ("byte_gru", 26.5), ("bbpe_4k_conv", 24.0)):
        write_score(tmp_path, system, score)
    table = ted.figure4(run, ROWS)
    assert [list(row) for row in table.rows] == [
        ["Byte", "25.00", "-", "26.50 (+6.0 %)"], ["BBPE 4K", "-", "24.00", "-"],
    ]  # fmt: skip
    assert "tokenized BLEU: sig" in render([table], "text")
    ted.RECIPE.pictures(run, ROWS)
    picture = (tmp_path / "figure4.svg").read_text("utf-8")
    assert all(word in picture for word in ("Byte", "BBPE 4K", "gru", "26.50"))


def made_row(generator, number):
    words = "the talk is about a world &apos;s oceans , people and maps .".split()
    english = " ".join(generator.choices(words, k=8))
    arabic = "__NULL__" if number % 5 == 0 else english.swapcase()
    return [f"talk{number}", english, arabic, english.upper(), "x"]


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_from_the_tables_to_table_7_and_figure_4(tmp_path):
    pytest.importorskip("fairseq")
    pytest.importorskip("sacremoses")
    generator = random.Random(1)
    splits = {
        split: [made_row(generator, n) for n in range(rows)]
        for split, rows in (("train", 60), ("dev", 9), ("test", 11))
    }
    write_talks(tmp_path / "raw", ["talk_name", "en", "ar", "zh-cn", "calv"], splits)
    names = ["byte_gru", "char", "bbpe_4k_conv", "bpe_16k"]
    ran = recipe(
        NAME, "--raw", tmp_path / "raw", "--work", tmp_path / "work", "--cpu", "--workers", 1,
        "--updates", 1, *TINY_TRANSFORMER, "--set", "optimization.update_freq=[1]",
        "--generate", "--max-len-a 0 --max-len-b 12", "--figure4", *names,
    )  # fmt: skip
    corpus, systems = tmp_path / "work" / "corpus", tmp_path / "work" / "systems"
    assert re.search(r"^all, train +lines +5\.1M +108 +differs$", ran.stdout, re.MULTILINE)

    segmentations = {row[0]: row[1:] for row in table_rows(ran.stdout, "Segmentations")}
    assert segmentations["bytes"][:1] == ["256"] and segmentations["bytes"][3] == "126/103"
    assert segmentations["bbpe_4k"][3] == "65/37" and segmentations["bbpe_4k"][6] == "39.1"
    characters = set("".join(path.read_text("utf-8") for path in corpus.glob("train.*")))
    pieces = int(segmentations["bpe_16k"][0].replace(",", ""))
    assert pieces > len(characters) and segmentations["bpe_16k"][4] == "0.00"

    table = table_rows(ran.stdout, "TED talks")
    figure = {row[0]: row[1:] for row in table_rows(ran.stdout, "Figure 4")}
    for row in ROWS:
        if row.name in names:
            scores = scores_of(systems / row.name / "test.json")
            assert set(scores) == {"ar", "zh_cn", "all"}
            # Fairseq numbers the sentences language after language.
            lines = translations(systems / row.name / "test.out")
            reference = [x for code in ("ar", "zh_cn") for x in lines_of(corpus / f"test.{code}-en.en")]  # fmt: skip
            expected = bleu(lines, reference, "none")
            assert scores["all"].scores["tokenized BLEU"] == pytest.approx(expected)
            valid = scores_of(systems / row.name / "valid.json")["all"]
            assert valid.lines == 16  # 9 of zh_cn, 7 of ar
            place = ted.CONTEXTS.index(row["context"])
            cells = ["-"] * 3
            cells[place] = f"{valid.scores['tokenized BLEU']:.2f}"
            assert figure[row["vocabulary"]] == cells
        if row.name in names and row["table"] == "7":
            place = table.index([row["row"], "paper", *row.figures.values()])
            for offset, metric in enumerate(("tokenized BLEU", "BLEU", "chrF"), start=1):
                cells = table[place + offset]
                assert cells[:3] == [f"here, {metric}", f"{scores['ar'].scores[metric]:.2f}", "-"]
                assert cells[-1] == f"{scores['all'].scores[metric]:.2f}"
    assert ["here: not run", *"-" * 9] in table and "char" not in [row[0] for row in table]
    assert re.search(r"^ *tokenized BLEU: \S+tok:none", ran.stdout, re.MULTILINE)
    assert re.search(r"^ *BLEU: \S+tok:13a", ran.stdout, re.MULTILINE)
    assert (tmp_path / "work" / "figure4.svg").is_file()
