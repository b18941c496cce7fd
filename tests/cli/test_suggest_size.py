"""suggest-size: tables, JSON and the picture."""

import json

import pytest
from made_languages import made_lines

from fairseq_subword_ext.cli.main import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = made_lines(400)
    for number in range(2):
        text = "".join(line + "\n" for line in lines[number::2])
        (tmp_path / f"text{number}").write_text(text, encoding="utf-8")
    return tmp_path


def test_one_unit(subword, folder):
    process = subword("suggest-size", "-i", "text0", "text1", "--max", 600, cwd=folder)
    title, _, heading, _, *rows, reason, last = process.stdout.split("\n")
    assert title == "Sizes, unit char" and heading.startswith("Merges ")
    assert [row.split()[0] for row in rows] == ["250", "350", "500", "600"]
    assert sum("*" in row for row in rows) == 1
    assert reason.startswith("* ") and reason.endswith("(Gowda & May 2020).") and last == ""
    assert process.stderr.splitlines()[-1].startswith("signature: unit:char|")


def test_the_text_of_all_inputs_is_one(folder, capfd):
    assert not main("suggest-size -i text0 text1 --max 300 --json both.json".split())
    with (folder / "joined").open("wb") as joined:
        joined.write((folder / "text0").read_bytes() + (folder / "text1").read_bytes())
    assert not main("suggest-size -i joined --max 300 --json joined.json --num-workers 1".split())
    both, joined = (
        json.loads((folder / name).read_text()) for name in ("both.json", "joined.json")
    )
    assert both[0]["sizes"] == joined[0]["sizes"]
    tokens = both[0]["sizes"][0]["tokens_per_sentence"] * 400
    main("learn-bpe -i joined -s 250 -o codes".split())
    main("apply-bpe -i joined -c codes -o segmented".split())
    assert len((folder / "segmented").read_text(encoding="utf-8").split()) == round(tokens)


def test_both_units_with_everything(folder, capfd):
    pytest.importorskip("matplotlib")
    line = (
        "suggest-size -i text0 --unit char,byte --max 300 --format json --json out --plot picture"
    )
    assert not main(line.split())
    tables = json.loads(capfd.readouterr().out)
    assert [table["key"] for table in tables] == ["sizes-char", "sizes-byte"]
    data = json.loads((folder / "out").read_text(encoding="utf-8"))
    assert [unit["unit"] for unit in data] == ["char", "byte"]
    merges = [size["merges"] for size in data[1]["sizes"]]
    assert merges == [250, 300] and data[1]["recommendation"]["merges"] in merges
    assert set(data[1]["sizes"][0]["frequent"]) == {"50", "100", "200"}
    assert (folder / "picture.png").stat().st_size and (folder / "picture.svg").stat().st_size


def test_word_counts(folder, capfd):
    (folder / "counts").write_text("low 5\nlower 2\n")
    assert not main("suggest-size --dict-input -i counts --max 3".split())
    row = capfd.readouterr().out.splitlines()[4].split()
    assert row[:2] == ["3", "*"] and "–" in row


@pytest.mark.parametrize(
    ("flags", "status", "message"),
    [
        ("--unit words", 2, "unit must be char or byte, not 'words'"),
        ("--max 0", 1, "the largest size must be from 1"),
        ("--dimension 0", 1, "the dimension of the embeddings must be from 1"),
        ("--measure nobody", 1, "nobody"),
        ("--plot text0.png", 1, "text0.png"),
    ],
)
def test_refusals(folder, capfd, flags, status, message):
    (folder / "text0.png").symlink_to("text0")
    try:
        found = main(["suggest-size", "-i", "text0", *flags.split()])
    except SystemExit as end:
        found = end.code
    assert found == status and message in capfd.readouterr().err
