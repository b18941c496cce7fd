"""Restoring segmented text, and converting streams line by line."""

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairseq_subword_ext.codecs.char_level import CharLevel
from fairseq_subword_ext.codecs.notation import Losses
from fairseq_subword_ext.codecs.pieces import Pieces, UnescapedPieces
from fairseq_subword_ext.codecs.recognition import Restorer, detect_encoder
from fairseq_subword_ext.codecs.registry import make_codec, notation_of
from fairseq_subword_ext.subword.escaping import escape_pieces
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
def test_unrecognized_text_asks_for_the_encoder(lines):
    with pytest.raises(ValueError, match="--encoder"):
        detect_encoder(lines)


def test_detection_by_another_separator():
    assert detect_encoder(["hel￭ lo"], "￭") == "generalized_bpe"


@pytest.mark.parametrize("encoder", ["byte_level", "char_level"])
def test_restorer_undoes_what_the_codec_did(encoder):
    encoded = make_codec(encoder).encode_lines(TEXT)
    assert detect_encoder(encoded) == encoder
    restorer = Restorer(lambda: notation_of(encoder))
    assert restorer.restore(encoded) == TEXT
    assert restorer.losses == Losses(0, 0)


def test_escapes_of_joined_pieces_are_undone():
    line = " ".join([*escape_pieces(["ab", "c\xa0"]), *escape_pieces(["</s>"])])
    assert notation_of("generalized_bpe").decode_lines([line, "x"]) == ["abc\xa0 </s>", "x"]
    unescaped = notation_of("generalized_bpe", compat="subword-nmt")
    assert unescaped.decode("a@@ ␛A0; b") == "a␛A0; b"


def test_losses_are_counted():
    restorer = Restorer(lambda: notation_of("bbpe"))
    assert restorer.restore(["▁ à ¶ ▁a", "▁b <unk> 中", "no space", "▁fine"]) == [
        " a",
        "b",
        "nospace",
        "fine",
    ]
    assert restorer.losses == Losses(dropped_bytes=2, unknown_symbols=2)


def test_fairseqs_own_encodings():
    theirs = notation_of("byte_level", compat="fairseq")
    assert theirs.decode_lines(["a ▁ Ã ©", "▁ b"]) == ["a é", " b"]
    assert notation_of("char_level", compat="fairseq").decode("a ▁ ␛ é") == "a ␛é"


@pytest.mark.parametrize(
    ("encoder", "compat"),
    [("bytes", None), ("bbpe", "subword-nmt"), ("generalized_bpe", "fairseq"), ("word", "fairseq")],
)
def test_options_that_cannot_be_combined_are_rejected(encoder, compat):
    with pytest.raises(ValueError, match=f"{encoder}"):
        notation_of(encoder, compat=compat)


@given(st.text(SCALARS))
@example("a ␛A; b")
def test_restoring_gives_one_line(line):
    for encoder in ("generalized_bpe", "bbpe", "char_level"):
        assert "\n" not in notation_of(encoder).decode(line)


# Streams.


def convert(data: bytes, function=lambda lines: [f"<{line}>" for line in lines], **options):
    target = io.BytesIO()
    counts = convert_stream(io.BytesIO(data), target, function, **options)
    return target.getvalue(), counts


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
    converted, counts = convert(data)
    assert (converted, counts.lines) == (result, lines)


def test_a_last_line_of_which_nothing_is_left_stays_a_line():
    assert convert(b"a\n ", lambda lines: [line.strip() for line in lines])[0] == b"a\n\n"


def test_carriage_returns():
    converted, counts = convert(b"a\r\nb\nc\r")
    assert converted == b"<a>\r\n<b>\n<c>\r"
    assert counts.carriage_return_ends == 2
    with pytest.raises(ValueError, match="text:2: found a carriage return inside the line"):
        convert(b"a\r\nb\rc\r\n", name="text")
    converted, counts = convert(b"a\nb\rc\r\n", carriage_return="replace")
    assert converted == b"<a>\n<b c>\r\n"
    assert (counts.lone_carriage_returns, counts.carriage_return_ends) == (1, 1)


def test_invalid_utf8_is_named():
    with pytest.raises(ValueError, match=r"text:3: byte 2 of the line \(0xFF\) is not UTF-8"):
        convert(b"a\nb\nc\xff\n", name="text")


class Dripping(io.RawIOBase):
    """A pipe that returns a few bytes at a time."""

    def __init__(self, data, size):
        self.data, self.size = data, size

    def readable(self):
        return True

    def readinto(self, buffer):
        part, self.data = self.data[: self.size], self.data[self.size :]
        buffer[: len(part)] = part
        return len(part)


@given(st.lists(st.text(SCALARS.filter(lambda c: c != "\r"), max_size=5)), st.integers(1, 9))
def test_the_result_does_not_depend_on_blocks(lines, size):
    data = "".join(f"{line}\n" for line in lines).encode("utf-8")
    codec = CharLevel()
    expected = "".join(f"{line}\n" for line in codec.encode_lines(lines)).encode("utf-8")
    for whole in (False, True):
        target = io.BytesIO()
        source = io.BufferedReader(Dripping(data, size), buffer_size=size)
        counts = convert_stream(source, target, codec.encode_lines, whole_blocks=whole)
        assert target.getvalue() == expected
        assert counts.lines == len(lines)


def test_line_numbers_continue_across_blocks():
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
@given(
    lines=st.lists(st.lists(TOKENS, max_size=8).map(" ".join), max_size=6).filter(any),
    end=st.sampled_from(["\n", ""]),
)
def test_blocks_are_restored_as_their_lines(encoder, compat, lines, end):
    notation = notation_of(encoder, compat=compat)
    by_lines, by_blocks = Restorer(lambda: notation), Restorer(lambda: notation)
    restored = by_lines.restore(lines)
    # A last line of spaces alone stays a line, even if nothing ended it.
    last = "\n" if lines[-1] and not restored[-1] else ""
    expected = "\n".join(restored) + (end or last)
    segmented = "\n".join(lines) + end
    block = by_blocks.block_coder().code(segmented.encode("utf-8"), 0)
    assert bytes(block).decode("utf-8") == expected
    assert by_blocks.losses == by_lines.losses


@pytest.mark.parametrize(
    ("pieces", "separator"),
    [(Pieces, "@@"), (Pieces, "￭"), *((UnescapedPieces, each) for each in ("@@", "￭", "a a", ""))],
)
@given(line=st.text("a @￭", max_size=20))
def test_any_separator_is_joined(pieces, separator, line):
    notation = pieces(separator=separator)
    text = Restorer(lambda: notation).block_coder().code(f"{line}\n".encode(), 0)
    assert bytes(text).decode("utf-8") == notation.decode(line) + "\n"
