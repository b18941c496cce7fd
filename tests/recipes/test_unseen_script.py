"""The parent's text has no character of the child's script, and the script reports it."""

import sys

import pytest
from conftest import ROOT, run_command

STUDY = ROOT / "scripts" / "transfer_study"
ENV = {"PYTHONPATH": f"{ROOT / 'scripts' / 'recipes'}:{ROOT}"}


def unseen(*arguments, check=True):
    return run_command(sys.executable, STUDY / "unseen_script.py", *arguments, env=ENV, check=check)


def write(folder, name, lines):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    texts = {
        "de": (["a", "mit ක", "c", "d", "e"], ["1", "2", "3 ෆ", "4", "5"]),
        "fr": (["x", "y"], ["1", "7"]),
        "si": (["ක", "ම", "ග"], ["1", "9", "2"]),
    }
    for split in "train", "valid", "test":
        for language, sides in texts.items():
            for side, lines in zip((language, "en"), sides):
                write(folder, f"{split}.{language}-en.{side}", lines)
    return folder


def test_pairs_with_the_script_are_left_out_and_counted(corpus, tmp_path):
    out = tmp_path / "out"
    printed = unseen(
        "select", "--corpus", corpus, "--child", "si", "--out", out
    ).stdout.splitlines()
    assert printed[0] == (
        "train: 5 pairs of 2 languages into English; left out for a character of 0D80-0DFF: 2"
    )
    assert printed[2:] == [
        "languages: de,fr",
        "English lines of train.si-en.en that the parent's training holds: 1 of 3",
        "English lines of valid.si-en.en that the parent's training holds: 1 of 3",
        "English lines of test.si-en.en that the parent's training holds: 1 of 3",
    ]
    assert (out / "train.de-en.de").read_text(encoding="utf-8") == "a\nd\ne\n"
    assert (out / "train.de-en.en").read_text(encoding="utf-8") == "1\n4\n5\n"
    assert sorted(path.name for path in out.glob("*.si")) == []
    checked = unseen("check", "--what", "the text", *sorted(out.glob("train.*"))).stdout
    assert checked == "characters of 0D80-0DFF in the text: 0 (read 10 characters in 4 files)\n"


def test_the_draw_keeps_pairs_together(corpus, tmp_path):
    options = ["--corpus", corpus, "--child", "si", "--parents", "de", "--lines", 2]
    for out in tmp_path / "one", tmp_path / "two":
        unseen("select", *options, "--out", out)
    pairs = [
        tuple((out / f"train.de-en.{side}").read_text(encoding="utf-8") for side in ("de", "en"))
        for out in (tmp_path / "one", tmp_path / "two")
    ]
    assert pairs[0] == pairs[1]
    drawn = list(zip(*(text.split() for text in pairs[0])))
    assert len(drawn) == 2 and set(drawn) <= {("a", "1"), ("d", "4"), ("e", "5")}


@pytest.mark.parametrize("last", [0x0DFF, 0x0D80])
def test_one_character_is_found_with_its_line(tmp_path, last):
    write(tmp_path / "c", "train.de-en.de", ["a", f"b{chr(last)}", "c"])
    process = unseen("check", "--what", "x", tmp_path / "c" / "train.de-en.de", check=False)
    assert process.returncode == 1 and process.stderr.count("\n") == 1
    assert f"train.de-en.de, line 2: U+{last:04X}" in process.stderr


@pytest.mark.parametrize("neighbour", [0x0D7F, 0x0E00, 0x200D])
def test_its_neighbours_are_not(tmp_path, neighbour):
    """A zero-width joiner is not a letter of any script."""
    write(tmp_path / "c", "train.de-en.de", [chr(neighbour)])
    unseen("check", "--what", "x", tmp_path / "c" / "train.de-en.de")


def test_counting_what_the_child_has(corpus):
    printed = unseen("count", "--expected", "77", corpus / "train.si-en.si").stdout
    assert "in train.si-en.si: 3 (paper: 77), 3 in all" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--parents", "de,si"], "--parents holds the child language, si"),
        (["--parents", "xx"], "has no train set of xx"),
    ],
)
def test_wrong_parents(corpus, tmp_path, options, message):
    process = unseen(
        "select",
        "--corpus",
        corpus,
        "--child",
        "si",
        "--out",
        tmp_path / "o",
        *options,
        check=False,
    )
    assert process.returncode == 1 and message in process.stderr


def test_an_invalid_range(corpus):
    process = unseen("--characters", "0DFF-0D80", "check", "--what", "x", corpus, check=False)
    assert process.returncode == 1 and "expected FIRST-LAST" in process.stderr
