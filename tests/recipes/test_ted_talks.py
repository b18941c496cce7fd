"""scripts/ted58_x_en/ted_talks.py: pairs each language of the TED talks with English."""

import sys

import pytest
from conftest import ROOT, run_command
from made_talks import write_talks

sys.path.insert(0, str(ROOT / "scripts" / "recipes"))
from corpus_files import find_languages, read_pairs

SCRIPT = ROOT / "scripts" / "ted58_x_en" / "ted_talks.py"
HEADER = ["talk_name", "en", "pt-br", "calv", "be"]


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


def convert(folder, *arguments, **options):
    return run_command(
        sys.executable, SCRIPT, "--talks", folder / "raw", "--out", folder / "out", *arguments,
        **options,
    )  # fmt: skip


def test_missing_cells_are_skipped_and_the_rest_is_unchanged(talks):
    printed = convert(talks).stdout
    out = talks / "out"
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
    rows = [line.split() for line in printed.splitlines()]
    assert rows[1:4] == [["be", "3", "1", "2"], ["pt_br", "2", "2", "0"], ["all", "5", "3", "2"]]
    assert "cells with a carriage return, now a space: 2" in printed
    assert "rows without English: 1" in printed


def test_some_languages_and_lines(talks):
    convert(talks, "--languages", "be", "--train-lines", 2)
    assert find_languages(talks / "out", "train") == ["be"]
    assert len(read_pairs(talks / "out", "train", "be")) == 2
    assert len(read_pairs(talks / "out", "test", "be")) == 2
    process = convert(talks, "--languages", "be,xx", check=False)
    assert process.returncode == 1
    assert "no column for xx; it has pt_br, be" in process.stderr
    assert find_languages(talks / "out", "train") == ["be"]  # the finished corpus stays


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
    process = convert(talks, check=False)
    assert process.returncode == 1
    assert message in process.stderr and "Traceback" not in process.stderr
    assert not (talks / "out").exists()
