"""Restoring of segmented text, and the conversion of streams line for line."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairseq_subword_ext.subword.char_codec import CharLevel
from fairseq_subword_ext.subword.escaping import escape_pieces
from fairseq_subword_ext.subword.line_codecs import make_codec
from fairseq_subword_ext.subword.restoring import Restorer, detect_encoder, line_restorer
from fairseq_subword_ext.textio.block_stream import convert_stream

SCALARS = st.characters(exclude_categories=["Cs"], exclude_characters="\n")

TEXT = ["hello world", "", "ප්‍රේ\xa0ම ▁", " a  b ", "</s> <unk> @@", "a\u2028b ␛A0;"]


@pytest.mark.parametrize(
    ("lines", "encoder"),
    [
        (["▁hel lo ▁wor ld", "", "▁ Ã ©"], "bbpe"),
        (["▁ h i", "▁ Ã ©"], "byte_level"),
        (["▁hel lo <unk> x"], "bbpe"),
        (["hel@@ lo wor@@ ld", "a"], "generalized_bpe"),
        (["▁a@@ b c"], "bbpe"),
        (["▁中@@ b c"], "generalized_bpe"),
        (["h i ▁ ñ", "a ␛A0; b"], "char_level"),
        (["▁ 中 i"], "char_level"),
        (["", "  ", "x@@ y"], "generalized_bpe"),
    ],
)
def test_detection(lines, encoder):
    assert detect_encoder(lines) == encoder


@pytest.mark.parametrize("lines", [["hello world"], [""], [], ["▁hello", "world"], ["<unk> </s>"]])
def test_what_looks_like_nothing_asks_for_the_encoder(lines):
    with pytest.raises(ValueError, match="--encoder"):
        detect_encoder(lines)


def test_detection_by_another_separator():
    assert detect_encoder(["hel￭ lo"], "￭") == "generalized_bpe"


@pytest.mark.parametrize("encoder", ["byte_level", "char_level"])
def test_restorer_undoes_what_the_codec_did(encoder):
    encoded = make_codec(encoder).encode_lines(TEXT)
    restorer = Restorer()
    assert restorer(encoded) == TEXT
    assert restorer.encoder == encoder
    assert restorer.dropped_bytes == restorer.unknown_symbols == 0
    assert Restorer(encoder)(encoded) == TEXT


def test_escapes_of_joined_pieces_are_undone():
    line = " ".join([*escape_pieces(["ab", "c\xa0"]), *escape_pieces(["</s>"])])
    assert Restorer()([line, "x"]) == ["abc\xa0 </s>", "x"]
    assert Restorer("generalized_bpe", compat="subword-nmt")(["a@@ ␛A0; b"]) == ["a␛A0; b"]


def test_losses_are_counted():
    restorer = Restorer("bbpe")
    assert restorer(["▁ à ¶ ▁a", "▁b <unk> 中", "no space", "▁fine"]) == [
        " a",
        "b",
        "nospace",
        "fine",
    ]
    assert (restorer.dropped_bytes, restorer.unknown_symbols) == (2, 2)


def test_fairseqs_own_codings():
    assert Restorer("byte_level", compat="fairseq")(["a ▁ Ã ©", "▁ b"]) == ["a é", " b"]
    assert Restorer("char_level", compat="fairseq")(["a ▁ ␛ é"]) == ["a ␛é"]


@pytest.mark.parametrize(
    ("encoder", "compat"),
    [("bytes", None), ("bbpe", "subword-nmt"), ("generalized_bpe", "fairseq"), (None, "fairseq")],
)
def test_what_does_not_go_together_is_refused(encoder, compat):
    with pytest.raises(ValueError, match="compat"):
        Restorer(encoder, compat=compat)


def test_blank_lines_decide_nothing():
    restorer = Restorer()
    assert restorer(["", " "]) == ["", ""]
    assert restorer.encoder is None
    assert restorer(["▁a b"]) == ["ab"]


@given(st.text())
def test_restoring_never_raises(line):
    for encoder in ("generalized_bpe", "bbpe", "char_level"):
        line_restorer(encoder)([line])


# Streams.


def convert(data: bytes, function=lambda lines: [f"<{line}>" for line in lines], **options):
    target = io.BytesIO()
    facts = convert_stream(io.BytesIO(data), target, function, **options)
    return target.getvalue(), facts


@pytest.mark.parametrize(
    ("data", "result", "lines"),
    [
        (b"", b"", 0),
        (b"\n", b"<>\n", 1),
        (b"a", b"<a>", 1),
        (b"a\nb\n", b"<a>\n<b>\n", 2),
        (b"a\n\nb", b"<a>\n<>\n<b>", 3),
        ("a\x85\u2028\x0c\x1cb\n".encode(), "<a\x85\u2028\x0c\x1cb>\n".encode(), 1),
    ],
)
def test_a_line_ends_at_a_newline_and_nowhere_else(data, result, lines):
    converted, facts = convert(data)
    assert (converted, facts.lines) == (result, lines)


def test_carriage_returns():
    converted, facts = convert(b"a\r\nb\nc\r")
    assert converted == b"<a>\r\n<b>\n<c>\r"
    assert facts.carriage_return_ends == 2
    with pytest.raises(ValueError, match="text:2: found a carriage return inside the line"):
        convert(b"a\r\nb\rc\r\n", name="text")
    converted, facts = convert(b"a\nb\rc\r\n", carriage_return="replace")
    assert converted == b"<a>\n<b c>\r\n"
    assert (facts.lone_carriage_returns, facts.carriage_return_ends) == (1, 1)


def test_what_is_not_utf8_is_named():
    with pytest.raises(ValueError, match=r"text:3: byte 2 of the line \(0xFF\) is not UTF-8"):
        convert(b"a\nb\nc\xff\n", name="text")


class Dripping(io.RawIOBase):
    """A pipe that gives a few bytes at a time."""

    def __init__(self, data, size):
        self.data, self.size = data, size

    def readable(self):
        return True

    def readinto(self, buffer):
        part, self.data = self.data[: self.size], self.data[self.size :]
        buffer[: len(part)] = part
        return len(part)


@given(st.lists(st.text(SCALARS.filter(lambda c: c != "\r"), max_size=5)), st.integers(1, 9))
def test_blocks_do_not_show(lines, size):
    data = "".join(f"{line}\n" for line in lines).encode("utf-8")
    codec = CharLevel()
    expected = "".join(f"{line}\n" for line in codec.encode_lines(lines)).encode("utf-8")
    for whole in (False, True):
        target = io.BytesIO()
        source = io.BufferedReader(Dripping(data, size), buffer_size=size)
        facts = convert_stream(source, target, codec.encode_lines, whole_blocks=whole)
        assert target.getvalue() == expected
        assert facts.lines == len(lines)


def test_line_numbers_count_on_over_blocks():
    source = io.BufferedReader(Dripping(b"ab\ncd\ne\rf\n", 3), buffer_size=3)
    with pytest.raises(ValueError, match="x:3: found a carriage return"):
        convert_stream(source, io.BytesIO(), list, name="x")


# The core's blocks.

TOKENS = st.sampled_from(
    ["▁a", "▁", "Ã ©", "à", "¶", "@@", "b@@", "c", "<unk>", "</s>", "madeupword0001", "␛A0;", "␛20;",
     "␛2581;", "␛D800;", "␛110000;", "␛;", "␛A;", "中", "Ċ", "x", "", " ", "\xa0"]
)  # fmt: skip


@pytest.mark.parametrize(
    ("encoder", "compat"),
    [
        ("generalized_bpe", None),
        ("generalized_bpe", "subword-nmt"),
        ("bbpe", None),
        ("char_level", None),
    ],
)
@given(lines=st.lists(st.lists(TOKENS, max_size=8).map(" ".join), max_size=6), end=st.booleans())
def test_blocks_are_restored_as_their_lines(encoder, compat, lines, end):
    by_lines, by_blocks = Restorer(encoder, compat=compat), Restorer(encoder, compat=compat)
    expected = "".join(f"{line}\n" for line in by_lines(lines))
    segmented = "".join(f"{line}\n" for line in lines)
    target = io.BytesIO()
    by_blocks.restore_stream(io.BytesIO(segmented.encode("utf-8")), target, 2)
    assert target.getvalue().decode("utf-8") == expected
    losses = by_lines.dropped_bytes, by_lines.unknown_symbols
    assert (by_blocks.dropped_bytes, by_blocks.unknown_symbols) == losses


@pytest.mark.parametrize("separator", ["@@", "￭", "a a", ""])
@given(line=st.text("a @￭", max_size=20))
def test_any_separator_is_joined(separator, line):
    target = io.BytesIO()
    restorer = Restorer("generalized_bpe", separator)
    restorer.restore_stream(io.BytesIO(f"{line}\n".encode()), target, 1)
    assert (
        target.getvalue().decode("utf-8")
        == Restorer("generalized_bpe", separator)([line])[0] + "\n"
    )
