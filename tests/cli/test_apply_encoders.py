"""apply-bpe --encoder and learn-bpe --trainer sentencepiece: batch preparation for the other encoders."""

import pytest

from fairseq_subword_ext.cli.main import main
from fairseq_subword_ext.codecs.registry import FORMS, make_codec

LINES = [
    "hello  world ",
    "",
    " 10\xa0km\tx\u2028y\x85",
    "a </s> <unk> ▁",
    "ප්‍රේම ක\u200cක",
    "中文 😀",
]
TEXT = "".join(f"{line}\n" for line in LINES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, subword):
    path = tmp_path_factory.mktemp("encoders")
    (path / "text").write_bytes((TEXT * 5).encode("utf-8"))
    process = subword(
        "learn-bpe", "--unit", "byte", "--trainer", "sentencepiece", "--total-symbols", "-s", 280,
        "-i", "text", "-o", "spm", cwd=path,
    )  # fmt: skip
    assert "wrote spm.model: 280 symbols" in process.stderr
    assert (
        "signature: unit:byte|trainer:sentencepiece|symbols:280/280|borders:none|corpus:text|codes:"
        in (process.stderr)
    )
    return path


@pytest.fixture
def run(folder, monkeypatch):
    """Runs the command in the folder, in this process."""
    monkeypatch.chdir(folder)
    return lambda flags: main(flags.split())


@pytest.mark.parametrize("encoder", FORMS["fairseq"])
def test_lines_equal_the_encoders_output_and_are_restored(subword, folder, encoder):
    codes = ["-c", "spm.model"] if encoder == "bbpe" else []
    process = subword("apply-bpe", "--encoder", encoder, *codes, input=TEXT, cwd=folder)
    codec = make_codec(encoder, folder / "spm.model" if codes else None)
    assert process.stdout.split("\n")[:-1] == codec.encode_lines(LINES)
    assert process.stderr.splitlines()[-1].startswith(f"signature: encoder:{encoder}|")
    restored = subword("restore", "--encoder", encoder, input=process.stdout, cwd=folder)
    assert restored.stdout == TEXT


def test_merge_flags_are_refused_by_encoders_without_merges(subword, folder):
    process = subword(
        "apply-bpe", "--encoder", "byte_level", "--dropout", 0.1, "--merges", 5, "-s", "￭",
        input="a\n", cwd=folder, check=False,
    )  # fmt: skip
    assert process.returncode == 1
    assert "does not take --merges, --separator, --dropout" in process.stderr
    process = subword("apply-bpe", "--encoder", "bbpe", input="a\n", cwd=folder, check=False)
    assert process.returncode == 1 and "-c" in process.stderr


@pytest.mark.parametrize("codes", ["codes", "spm.model"])
def test_dropout_of_byte_level_subwords(run, folder, codes):
    flags = f"-c {codes} --encoder bbpe -i text"
    assert run("learn-bpe --unit byte -s 20 -i text -o codes") == 0
    for name, dropout in [
        ("whole", ""),
        ("cut", "--dropout 0.4 --seed 3"),
        ("bytes", "--dropout 1"),
    ]:
        assert run(f"apply-bpe {flags} {dropout} -o {name}") == 0
    assert run(f"apply-bpe {flags} --dropout 0.4 --seed 3 --num-workers 3 -o again") == 0
    cut = (folder / "cut").read_text("utf-8")
    assert cut == (folder / "again").read_text("utf-8") != (folder / "whole").read_text("utf-8")
    codec = make_codec("bbpe", folder / codes)
    assert codec.decode_lines(cut.split("\n")[:-1]) == LINES * 5
    alone = make_codec("byte_level").encode_lines(LINES * 5)
    assert (folder / "bytes").read_text("utf-8").split("\n")[:-1] == alone


def test_fairseqs_own_byte_bpe_has_no_dropout(run, capsys):
    flags = "-c spm.model --encoder bbpe --compat fairseq -i text --dropout 0.1"
    assert run(f"apply-bpe {flags}") == 1
    assert "--encoder bbpe does not take --dropout" in capsys.readouterr().err


def test_errors_name_the_file_among_several(subword, folder):
    (folder / "good").write_text("a\nb")
    (folder / "bad").write_bytes(b"a\nb\rc\n")
    process = subword(
        "apply-bpe", "--encoder", "char_level", "-i", "good", "bad", cwd=folder, check=False
    )
    assert process.returncode == 1 and "bad:2: " in process.stderr
    process = subword("apply-bpe", "--encoder", "char_level", "-i", "good", "good", cwd=folder)
    assert len(process.stdout.split("\n")) == 4


def test_the_trainer_names_missing_flags(subword, folder):
    for flags in ([], ["--unit", "byte"], ["--unit", "byte", "--total-symbols"]):
        process = subword(
            "learn-bpe", "--trainer", "sentencepiece", *flags, input="a\n", cwd=folder, check=False
        )
        assert process.returncode == 1 and "--total-symbols" in process.stderr
    process = subword(
        "learn-bpe", "--trainer", "sentencepiece", "--unit", "byte", "--total-symbols", "-o", "x",
        "-i", "text", "--measure", "av", cwd=folder, check=False,
    )  # fmt: skip
    assert process.returncode == 1 and "--measure" in process.stderr
    process = subword(
        "learn-bpe", "--trainer", "sentencepiece", "--unit", "byte", "--total-symbols", "-o", "x",
        "-i", "text", "--borders", "character", cwd=folder, check=False,
    )  # fmt: skip
    assert process.returncode == 1 and "must be one of none, sentencepiece with" in process.stderr
    process = subword(
        "learn-bpe", "--trainer", "sentencepiece", "--unit", "byte", "--total-symbols", "-s", 280,
        "-o", "bordered", "-i", "text", "--borders", "sentencepiece", cwd=folder,
    )  # fmt: skip
    assert "|borders:sentencepiece|" in process.stderr


def test_a_model_given_as_codes_is_recognized(subword, folder):
    """It works only with bbpe; a dictionary can be made from it as from codes."""
    process = subword("apply-bpe", "-c", "spm.model", input="a\n", cwd=folder, check=False)
    assert process.returncode == 1
    assert "spm.model: this looks like a SentencePiece model, not a codes file" in process.stderr
    assert "--encoder bbpe" in process.stderr
    subword("build-dict", "-c", "spm.model", "--padding-factor", 1, "-o", "dict.txt", cwd=folder)
    lines = (folder / "dict.txt").read_text(encoding="utf-8").split("\n")[:-1]
    symbols = {line.split(" ")[0] for line in lines}
    assert len(symbols) == 280
    assert symbols == {*make_codec("bbpe", folder / "spm.model").symbols}


def test_compat_fairseq_reproduces_fairseq(subword, folder):
    """Encodes and restores with --compat fairseq."""
    text = "hello  world \n\n▁a\tb\n"
    for encoder in ("byte_level", "char_level"):
        options = ["--encoder", encoder, "--compat", "fairseq"]
        process = subword("apply-bpe", *options, input=text, cwd=folder)
        theirs = make_codec(encoder, compat="fairseq")
        assert process.stdout.split("\n")[:-1] == theirs.encode_lines(text.split("\n")[:-1])
        again = subword("restore", *options, input=process.stdout).stdout
        assert again.split("\n")[:-1] == theirs.decode_lines(process.stdout.split("\n")[:-1])
        assert again != text
    codes = ["--encoder", "bbpe", "--compat", "fairseq", "-c", "text"]
    process = subword("apply-bpe", *codes, input=text, cwd=folder, check=False)
    assert process.returncode == 1
    assert "text: expected a SentencePiece model" in process.stderr
