"""fairseq-interactive and from_pretrained: every line of input gives one line of output, in order."""

import io
import sys

import pytest
from fairseq.models.transformer import TransformerModel

pytest_plugins = ["task_helpers"]

LONG = "ක" * 5000
LINES = ["α β", "", "   ", "\u00a0", LONG, "a\rb", "α\u2028β\u0085\x0cγ", "</s> <pad>", "α β"]


@pytest.fixture
def standard_input(monkeypatch):
    def give(lines):
        data = "".join(f"{line}\n" for line in lines).encode()
        # As Python opens it on Linux: a line ends at \n and nowhere else.
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="\n"))

    return give


@pytest.mark.parametrize(
    "options",
    [
        ["-s", "si", "-t", "en"],  # one by one, Fairseq's default
        ["--buffer-size", 100, "--batch-size", 4],
        ["-s", "si", "--buffer-size", 4, "--max-tokens", 30],
    ],
    ids=["one-by-one", "batch-size", "max-tokens"],
)
def test_every_line_gives_one_output_in_order(train, translate, standard_input, options):
    train()
    standard_input(LINES)
    printed = translate(*options, command="interactive")
    outputs = printed.outputs("H")
    assert list(outputs) == list(range(len(LINES)))
    assert outputs[0] == outputs[8] and outputs[1] == outputs[2] == outputs[3]
    assert "input: 1 of " in printed and "(line 4)" in printed


def test_a_carriage_return_inside_a_line_of_an_input_file_is_refused(train, translate, tmp_path):
    train()
    path = tmp_path / "input.txt"
    path.write_bytes("a\r\nb\r\nසිං\rහල\n".encode())
    with pytest.raises(ValueError) as error:
        translate("--input", path, command="interactive")
    assert f"{path}, line 3: a carriage return inside the line (byte 10)" in str(error.value)
    path.write_bytes(b"a\r\nb\r\n\nc\xc2\x85d\r")  # \r\n is fine, and so is one at the very end
    assert sorted(translate("--input", path, command="interactive").outputs()) == [0, 1, 2, 3]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii"])
def test_input_that_is_not_utf8_is_reported_with_its_line(
    train, translate, monkeypatch, tmp_path, encoding
):
    train()
    text = "αβ\n\nnaï".encode() + b"ve \xe9t\xe9\nb\n"
    path = tmp_path / "input.txt"
    path.write_bytes(text)
    for source, options in (("standard input", []), (path, ["--input", path])):
        # Whatever the encoding of standard input in this locale.
        stdin = io.TextIOWrapper(io.BytesIO(text), encoding, newline="\n")
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(ValueError) as error:
            translate("--buffer-size", 2, *options, command="interactive")
        assert str(error.value) == (
            f"{source}, line 3: not UTF-8 (byte 8 is 0xE9); convert the text, for example with iconv "
            "-t UTF-8"
        )


def test_interactive_needs_no_binarized_data(train, translate, corpus, standard_input, tmp_path):
    train()
    (tmp_path / "only").mkdir()
    (corpus.folder / "dict.en.txt").rename(tmp_path / "only" / "dict.en.txt")
    standard_input(["α", "β"])
    printed = translate("-s", "ta", command="interactive", data=tmp_path / "only")
    assert sorted(printed.outputs()) == [0, 1]


def test_a_raw_line_gives_the_same_as_its_binarized_form(train, translate, corpus, standard_input):
    train("--max-epoch", 3)
    lines = ["αβγ δ", "ηηη", "γ"]
    corpus.add("de", "test", ["x"] * 3, lines)
    binarized = translate("-s", "de").outputs("H")
    standard_input(lines)
    assert translate(command="interactive").outputs("H") == binarized


def test_from_pretrained(train, checkpoint, corpus):
    train()
    hub = TransformerModel.from_pretrained(
        str(checkpoint.parent),
        checkpoint.name,
        data_name_or_path=str(corpus.folder),
        bpe="byte_level",
        max_tokens=50,
    )
    outputs = hub.translate(["αβ", "", LONG], beam=2, max_len_b=5)
    assert len(outputs) == 3
    assert hub.translate("αβ", beam=2, max_len_b=5) == outputs[0]
