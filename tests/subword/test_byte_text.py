"""Byte text: the table of stand-ins, and encoding lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairseq_subword_ext.subword.byte_text import (
    BYTE_SYMBOLS,
    bytes_to_symbols,
    symbols_to_bytes,
    to_byte_text,
    to_byte_texts,
)

LINES = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\n"))


def test_the_alphabet_is_256_distinct_symbols_that_fairseq_keeps_whole():
    assert len(BYTE_SYMBOLS) == len(set(BYTE_SYMBOLS)) == 256
    assert all(len(symbol) == 1 and not symbol.isspace() for symbol in BYTE_SYMBOLS)
    assert BYTE_SYMBOLS[0x20] == "\u2581"
    for byte in range(256):
        if byte == 0x20:
            continue
        itself = 33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174
        assert ord(BYTE_SYMBOLS[byte]) == (byte if itself else 256 + byte)


def test_the_table_is_fairseqs_except_for_the_space():
    byte_utils = pytest.importorskip("fairseq.data.encoders.byte_utils")
    for byte, symbol in byte_utils.BYTE_TO_BCHAR.items():
        assert BYTE_SYMBOLS[byte] == (byte_utils.SPACE_ESCAPE if byte == 0x20 else symbol)


@pytest.mark.parametrize(
    ("text", "byte_text"),
    [
        ("", ""),
        (" ", "▁▁"),
        ("hello world", "▁hello▁world"),
        (" a  b ", "▁▁a▁▁b▁"),
        ("▁", "▁âƖƁ"),
        ("a\tb", "▁aĉb"),
        ("\x00", "▁Ā"),
        ("é\xa0中", "▁Ã©ÂƠä¸ƭ"),
    ],
)
def test_examples(text, byte_text):
    assert to_byte_text(text) == byte_text


@given(st.binary())
def test_bytes_and_symbols(data):
    assert symbols_to_bytes(bytes_to_symbols(data)) == data


@given(st.lists(LINES))
def test_lists_equal_single_lines(lines):
    assert to_byte_texts(lines) == [to_byte_text(line) for line in lines]


def test_a_lone_surrogate_is_named_with_its_position():
    with pytest.raises(ValueError, match=r"character 7: found the lone surrogate U\+D800"):
        to_byte_text("hello \ud800 world")
    with pytest.raises(ValueError, match=r"line 2, character 2: .*U\+DFFF"):
        to_byte_texts(["a", "b\udfff"])


def test_a_newline_is_named_with_its_position():
    with pytest.raises(ValueError, match="character 2: found a newline"):
        to_byte_text("a\nb")
    with pytest.raises(ValueError, match="line 3, character 1: found a newline"):
        to_byte_texts(["a", "b", "\n"])


def test_replacement():
    assert to_byte_text("a\ud800\nb", "replace") == to_byte_text("a\ufffd b")
    assert to_byte_text("\ud83d\ude00", "replace") == to_byte_text("😀")
    assert to_byte_texts(["a", "\udc00\n"], "replace") == ["▁a", to_byte_text("\ufffd ")]


def test_an_unknown_error_handling_is_rejected():
    for lines in (["a"], ["\ud800"], []):
        with pytest.raises(ValueError, match="strict, replace"):
            to_byte_texts(lines, "ignore")
    with pytest.raises(ValueError, match="strict, replace"):
        to_byte_text("a", "ignore")
