"""restore and segment-baseline handle files as apply-bpe does: threads, compression, many at once."""

import gzip
from pathlib import Path

import pytest

from fairseq_subword_ext.cli.main import main
from fairseq_subword_ext.codecs.registry import make_codec

TEXT = ["the newest  low\n", "ප්‍රේ\xa0ම low\n", " widest </s>\n", "\n"] * 400


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/a.txt").write_text("".join(TEXT), encoding="utf-8")
    Path("in/b.txt.gz").write_bytes(gzip.compress("".join(TEXT[1:]).encode()))
    Path("in/empty").write_bytes(b"")
    return tmp_path


FOLDER = "--relative-to in --output-dir"


@pytest.mark.parametrize("baseline", ["word", "char-ngrams --n 3"])
def test_a_baseline_and_its_restoration_in_folders(baseline, capsys):
    cut = f"segment-baseline {baseline} -i in/* {FOLDER} cut --num-workers 3"
    assert main(cut.split()) == 0
    said = capsys.readouterr().err
    assert "segmented 3 files" in said and "signature: baseline:" in said
    assert main(f"segment-baseline {baseline} -i in/a.txt -o alone.gz".split()) == 0
    assert gzip.decompress(Path("alone.gz").read_bytes()) == Path("cut/a.txt").read_bytes()
    back = f"restore -i cut/* --output-dir back --encoder {baseline.split()[0]} --compression none"
    assert main(back.split()) == 0
    assert "restored 3 files" in capsys.readouterr().err
    assert Path("back/a.txt").read_text("utf-8") == "".join(TEXT)
    assert Path("back/b.txt").read_text("utf-8") == "".join(TEXT[1:])
    assert main([*cut.split(), "--resume"]) == 0
    assert "3 of 3 files are already done" in capsys.readouterr().err


def test_the_training_text_of_a_baseline_is_a_setting(capsys):
    Path("train").write_text("low low lowest\n")
    run = f"segment-baseline char-ngrams --shortlist 1 --train train -i in/a.txt {FOLDER} cut"
    assert main(run.split()) == 0
    Path("train").write_text("widest widest\n")
    assert main([*run.split(), "--resume"]) == 1
    assert "was made with other settings (train" in capsys.readouterr().err


def test_each_text_of_a_folder_is_detected_separately(capsys):
    Path("cut").mkdir()
    for encoder in ("byte_level", "char_level"):
        lines = make_codec(encoder).encode_lines([line[:-1] for line in TEXT])
        Path(f"cut/{encoder}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    Path("cut/blank").write_text("\n \n")
    assert main("restore -i cut/* --output-dir back".split()) == 0
    said = capsys.readouterr().err
    assert "restored 1 of 3 texts with --encoder byte_level" in said
    assert "restored 1 of 3 texts with --encoder char_level" in said
    for encoder in ("byte_level", "char_level"):
        assert Path(f"back/{encoder}").read_text("utf-8") == "".join(TEXT)
    assert Path("back/blank").read_text() == "\n\n"


def test_a_text_that_cannot_be_detected_is_left_out(capsys):
    Path("in/c.txt").write_text("a@@ b\n")
    run = "restore -i in/a.txt in/c.txt --output-dir back --keep-going --num-workers 1"
    assert main(run.split()) == 1
    said = capsys.readouterr().err
    assert "left out: in/a.txt: the text looks neither like byte text" in said
    assert Path("back/c.txt").read_text() == "ab\n" and not Path("back/a.txt").exists()


def test_losses_of_all_texts_are_counted_together(capsys):
    Path("x").write_text("▁a à ¶\n", "utf-8")
    Path("y").write_text("▁b <unk> 中\n", "utf-8")
    assert main("restore -i x y --output-dir back --encoder bbpe".split()) == 0
    assert "dropped 2 bytes that form no character and 2 symbols" in capsys.readouterr().err


@pytest.mark.parametrize("number", [1, 3])
def test_output_does_not_depend_on_the_threads(number):
    assert main("segment-baseline characters -i in/a.txt -o cut".split()) == 0
    again = f"restore -i cut in/b.txt.gz -o back.gz --encoder characters --num-workers {number}"
    assert main(again.split()) == 0
    assert gzip.decompress(Path("back.gz").read_bytes()).decode().startswith("".join(TEXT))


def test_long_or_blank_first_lines_do_not_prevent_detection(capsys):
    Path("cut").write_text("\n" * 5000 + "▁" + "a" * 200_000 + "\n▁ b", encoding="utf-8")
    assert main("restore -i cut -o back".split()) == 0
    assert Path("back").read_text() == "\n" * 5000 + "a" * 200_000 + "\nb"
    assert "restored the text with --encoder bbpe" in capsys.readouterr().err
