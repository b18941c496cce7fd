"""Splitting words before the first merge, and stripping the marker."""

import pytest

from fairseq_subword_ext.subword import symbols


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.1", ["l", "o", "w", "</w>"]),
        ("0.2", ["l", "o", "w</w>"]),
        ("byte-1", ["▁", "l", "o", "w"]),
    ],
)
def test_word_to_symbols(version, expected):
    assert symbols.word_to_symbols("low", version) == expected


def test_bytes_of_a_word_outside_ascii():
    assert symbols.word_to_symbols("ක", "byte-1") == ["▁", "à", "¶", "ƚ"]


@pytest.mark.parametrize(("word", "version"), [("", "0.2"), ("a", "0.3"), ("\ud800", "byte-1")])
def test_impossible_words_and_versions(word, version):
    with pytest.raises(ValueError):
        symbols.word_to_symbols(word, version)


@pytest.mark.parametrize("version", symbols.VERSIONS)
@pytest.mark.parametrize("word", ["a", "low", "x</w>y", "</w>", "🎉"])
def test_the_marker_is_stripped(word, version):
    pieces = symbols.symbols_to_word(symbols.word_to_symbols(word, version), version)
    start = "" if version != "byte-1" else "▁"
    if version == "byte-1":
        word = "".join(symbols.word_to_symbols(word, version)[1:])
    assert "".join(pieces) == start + word
