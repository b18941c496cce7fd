"""The command restore: detection, separators and invalid output of models."""

import pytest

from fairseq_subword_ext.codecs.registry import make_codec

TEXT = ["hello world", "", "ප්‍රේ\xa0ම ▁", " a  b ", "</s> <unk>", "a\u2028b\x85"]


@pytest.fixture
def encoded():
    def encode(encoder):
        return "".join(f"{line}\n" for line in make_codec(encoder).encode_lines(TEXT))

    return encode


@pytest.mark.parametrize("encoder", ["byte_level", "char_level"])
def test_standard_streams_and_detection(encoder, encoded, subword):
    process = subword("restore", input=encoded(encoder))
    assert process.stdout == "".join(f"{line}\n" for line in TEXT)
    assert f"restored the text with --encoder {encoder}" in process.stderr


def test_files_under_any_locale(encoded, subword, tmp_path):
    (tmp_path / "in").write_text(encoded("byte_level"), encoding="utf-8")
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0"}
    options = ["-i", "in", "-o", "out", "--encoder", "bbpe"]
    assert subword("restore", *options, cwd=tmp_path, env=locale).stderr == ""
    assert (tmp_path / "out").read_text("utf-8") == "".join(f"{line}\n" for line in TEXT)


def test_pieces_with_separators(subword):
    assert subword("restore", input="hel@@ lo wor@@ ld\n\nx\n").stdout == "hello world\n\nx\n"
    assert subword("restore", "-s", "￭", input="hel￭ lo a@@ b\n").stdout == "hello a@@ b\n"
    compat = ["--encoder", "generalized_bpe", "--compat", "subword-nmt"]
    assert subword("restore", *compat, input="a@@ ␛A0; b\n").stdout == "a␛A0; b\n"


def test_invalid_model_output_is_counted(subword):
    process = subword("restore", "--encoder", "bbpe", input="▁a à ¶\n▁b <unk> 中\n▁ ÿ\n")
    assert process.stdout == "a\nb\n\n"
    assert "dropped 3 bytes that form no character and 2 symbols" in process.stderr


@pytest.mark.parametrize(
    ("options", "text", "message"),
    [
        ([], "▁ක world\n", "say what it is with --encoder"),
        (["--encoder", "bbpe"], "▁a\n▁b\rc\n", "standard input:2: found a carriage return"),
        (["--compat", "fairseq"], "▁ a\n", "needs --encoder"),
        (["--encoder", "bbpe", "--compat", "subword-nmt"], "▁ a\n", "compat"),
        (["-i", "nowhere"], "", "nowhere"),
    ],
)
def test_errors_are_one_line(options, text, message, subword, tmp_path):
    process = subword("restore", *options, "-o", "out", input=text, check=False, cwd=tmp_path)
    assert process.returncode == 1
    assert message in process.stderr
    assert process.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_invalid_utf8_is_named(subword, tmp_path):
    (tmp_path / "in").write_bytes("▁ a\n".encode() + b"\xff\n")
    process = subword("restore", "-i", tmp_path / "in", check=False)
    assert process.returncode == 1
    assert "in:2: byte 1 of the line (0xFF) is not UTF-8" in process.stderr


def test_carriage_returns(subword, tmp_path):
    (tmp_path / "in").write_bytes("▁ a\r\n▁ b\r▁ c\n".encode())
    options = ["--carriage-return", "replace", "-o", "out"]
    process = subword("restore", "-i", "in", *options, cwd=tmp_path)
    assert (tmp_path / "out").read_bytes() == b"a\r\nb c\n"
    assert "1 lines end in \\r\\n" in process.stderr


def test_a_last_line_without_a_newline_stays_a_separate_line(subword, tmp_path):
    (tmp_path / "a").write_text("x@@ y", encoding="utf-8")
    (tmp_path / "b").write_text("z\n", encoding="utf-8")
    assert subword("restore", "-i", "a", "b", cwd=tmp_path).stdout == "xy\nz\n"
