"""The command export; with every measure and library, no line has different ids."""

import json
import os

import pytest
from made_languages import NAUGHTY, made_lines

from fairseq_subword_ext.cli.main import main
from fairseq_subword_ext.subword.goodness import measure_names

TEXT = "low low lower newest newest widest\n" * 9
# A folder of `pip install --target` with another version of tokenizers, for the slow tests.
OTHER_TOKENIZERS = os.environ.get("OTHER_TOKENIZERS")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text(TEXT)
    for unit in ("char", "byte"):
        assert not main(["learn-bpe", "-i", "text", "-o", unit, "-s", "9", "--unit", unit])
    return tmp_path


def test_tokenizer_json(subword, folder):
    process = subword(
        "export", "-c", "char", "--to", "tokenizer.json", "-o", "out", "--merges", 3, cwd=folder
    )
    content = json.loads((folder / "out").read_text(encoding="utf-8"))
    assert content["model"]["vocab"]["<unk>"] == 3
    assert len(content["model"]["merges"]) == 3
    assert content["added_tokens"] == []
    assert sorted(content["model"]["vocab"].values()) == list(range(32))
    assert "32 symbols; ids 0 to 31 are the dictionary's" in process.stderr
    assert process.stderr.splitlines()[-1].startswith("signature: ")


def test_the_dictionary_of_a_model(folder, capfd):
    main(["apply-bpe", "-i", "text", "-c", "char", "-o", "segmented"])
    main(["build-dict", "-i", "segmented", "-o", "dict.txt"])
    assert not main("export -c char --dict dict.txt --to tokenizer.json -o out".split())
    tokens = [line.split(" ")[0] for line in (folder / "dict.txt").read_text().splitlines()]
    vocabulary = json.loads((folder / "out").read_text(encoding="utf-8"))["model"]["vocab"]
    assert vocabulary["newest</w>"] == 4 + tokens.index("newest")
    # No "n" remains alone in the text, but the merges need it.
    assert "n@@" not in tokens and vocabulary["n"] >= 4 + len(tokens)
    assert f"they get the ids from {4 + len(tokens)} on" in capfd.readouterr().err


def test_a_file_that_is_called_like_the_format_is_replaced(folder, capfd):
    for _ in range(2):
        assert not main("export -c char --to tokenizer.json -o tokenizer.json".split())
    with pytest.raises(SystemExit):
        main("export -c char --to onnx -o out".split())
    assert "expected tokenizer.json or tiktoken, not 'onnx'" in capfd.readouterr().err


def test_tiktoken(folder, capfd):
    assert not main("export -c byte --to tiktoken -o out".split())
    assert len((folder / "out").read_text().splitlines()) == 265
    assert "not checked" in capfd.readouterr().err


@pytest.mark.parametrize("flag", ["vocabulary", "vocabulary-threshold", "glossaries", "dropout"])
def test_what_no_format_holds_is_refused_by_name(folder, capfd, flag):
    line = f"export -c char --to tokenizer.json -o out --{flag} 1"
    assert main(line.split()) == 1
    assert f"--{flag}: tokenizer.json does not support" in capfd.readouterr().err
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-c char --to tiktoken", "byte-level codes only"),
        ("-c byte --to tiktoken --dict text", "in tiktoken, ids are ranks"),
        ("-c char --to tokenizer.json --dict text", "text:1: expected 'symbol count'"),
        ("-c old --to tokenizer.json", "version 0.1"),
    ],
)
def test_refusals(folder, capfd, line, message):
    (folder / "old").write_text("#version: 0.1\na b\n")
    assert main(["export", *line.split(), "-o", "out"]) == 1
    assert message in capfd.readouterr().err
    assert not (folder / "out").exists()


def test_nothing_is_written_where_a_line_differs(folder, capfd):
    pytest.importorskip("tiktoken")
    (folder / "codes").write_text("#version: byte-1\na b\nb c\na bc\n")
    (folder / "sample").write_text("ab\nab abc\n\n")
    line = "export -c codes --to tiktoken -o out --check sample"
    assert main(line.split()) == 1
    error = capfd.readouterr().err
    assert "sample: 1 of 3 lines have different ids in tiktoken, so nothing was written" in error
    assert "line 2: expected 'ab ▁ ab c', found 'ab ▁ abc'" in error
    assert not (folder / "out").exists()
    (folder / "sample").write_text("ab\n\n")
    assert not main(line.split())
    error = capfd.readouterr().err
    assert "checked: 2 lines of sample, all with the same ids" in error
    assert "1 empty lines become one token" in error


def test_the_check_says_what_is_lost(folder, capfd):
    pytest.importorskip("tokenizers")
    (folder / "sample").write_text("low  low\nlow\nqx\n")
    line = "export -c char --to tokenizer.json -o out --check sample"
    assert not main(line.split())
    error = capfd.readouterr().err
    assert "1 lines come back changed when their ids are decoded (lines 1)" in error
    assert "1 lines contain symbols that are <unk>" in error


@pytest.fixture(scope="module")
def languages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("languages")
    for name, lines in [
        ("train", made_lines(30000)),
        ("sample", [*made_lines(50000, seed=1), *NAUGHTY]),
    ]:
        text = "".join(line + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["char", "byte"])
@pytest.mark.parametrize("measure", measure_names())
def test_no_line_differs(subword, languages, tmp_path, measure, unit):
    pytest.importorskip("tokenizers")
    pytest.importorskip("tiktoken")
    subword(
        "learn-bpe", "-i", languages / "train", "-o", "codes", "-s", 4000, "--unit", unit,
        "--measure", measure, cwd=tmp_path,
    )  # fmt: skip
    checked = f"checked: {50000 + len(NAUGHTY)} lines"
    export = ["export", "-c", "codes", "-o", "out", "--check", languages / "sample", "--to"]
    assert checked in subword(*export, "tokenizer.json", cwd=tmp_path).stderr
    if unit == "byte":
        assert checked in subword(*export, "tiktoken", cwd=tmp_path).stderr


@pytest.mark.slow
@pytest.mark.skipif(OTHER_TOKENIZERS is None, reason="OTHER_TOKENIZERS names no folder")
@pytest.mark.parametrize("measure", measure_names())
def test_no_line_of_bytes_differs_in_another_version(subword, languages, tmp_path, measure):
    subword(
        "learn-bpe", "-i", languages / "train", "-o", "codes", "-s", 4000, "--unit", "byte",
        "--measure", measure, cwd=tmp_path,
    )  # fmt: skip
    process = subword(
        "export", "-c", "codes", "-o", "out", "--check", languages / "sample", "--to", "tokenizer.json",
        cwd=tmp_path, env={"PYTHONPATH": OTHER_TOKENIZERS},
    )  # fmt: skip
    assert f"checked: {50000 + len(NAUGHTY)} lines" in process.stderr
