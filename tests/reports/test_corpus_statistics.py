"""The papers' measures on texts small enough to count by hand."""

import pytest

from fairseq_subword_ext.reports.corpus_statistics import (
    measure,
    shared_symbols,
    symbol_frequencies,
)
from fairseq_subword_ext.reports.text_counts import count_text, read_lines

# The raw text is "low lower", an empty line, "newest é low".
PIECES = "low low@@ er\n\nn@@ e@@ w@@ est é low\n"


@pytest.fixture
def counted(tmp_path):
    def count(text, encoder=None, name="text"):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return count_text(path, encoder)

    return count


def test_pieces_counted_by_hand(counted):
    found = measure(counted(PIECES), "BPE", "en")
    assert (found.name, found.language, found.encoder) == ("BPE", "en", "generalized_bpe")
    assert found.sentences == 3
    # low low@@ er | n@@ e@@ w@@ est é low
    assert found.tokens == 9
    assert found.types == 8
    assert found.words == 5
    assert found.characters == len("low lower") + len("newest é low")
    # lower and newest
    assert found.split_words == 2
    # n@@ e@@ w@@
    assert found.single_characters == 3
    assert found.spelled_words == 0
    assert found.partial_tokens is None
    assert found.partial_share is None
    assert (found.longest, found.median) == (6, 3)
    assert found.symbol_frequencies == {0: 7, 1: 1}  # low twice, the others once


def test_derived_figures(counted):
    """Wu & Zhao 2018, Figure 2: per sentence. 3 sentences, 5 words, 9 tokens, 2 words split."""
    found = measure(counted(PIECES), "BPE")
    assert found.mean_words == pytest.approx(5 / 3)
    assert found.mean_split_words == pytest.approx(2 / 3)
    assert found.split_share == pytest.approx(40)
    assert found.mean_length == pytest.approx(3)
    assert found.length_increase == pytest.approx(4 / 3)
    assert found.length_increase_share == pytest.approx(80)
    assert found.single_share == pytest.approx(100 / 3)
    assert found.tokens_per_1000_characters == pytest.approx(9000 / 21)


def test_partial_characters_counted_by_hand(counted):
    """Wang et al. 2020, Table 3. 日本 a is E6 97 A5, E6 9C AC, 20, 61.

    Stand-ins: E6 æ, 97 U+0197, A5 ¥, 9C U+019C, AC ¬.
    """
    found = measure(counted("▁æ \u0197¥ æ\u019c¬ ▁a\n"), "BBPE")
    assert found.encoder == "bbpe"
    assert (found.tokens, found.types, found.words, found.characters) == (4, 4, 2, 4)
    assert found.partial_tokens == 2  # ▁æ and the rest of 日
    assert found.partial_share == pytest.approx(50)
    assert found.split_words == 1
    # No token of 日本 has more than one character, so the word is spelled out.
    assert (found.single_characters, found.spelled_words) == (3, 1)


def test_bytes_and_characters_are_single_by_construction(counted):
    bytes_ = measure(counted("▁ Ã ¼ b ▁ c\n"), "bytes")
    characters = measure(counted("ü b ▁ c\n"), "characters")
    for found in (bytes_, characters):
        assert found.single_by_design
        assert (found.words, found.split_words, found.spelled_words) == (2, 1, 1)
        assert found.characters == 4
    assert bytes_.encoder == "byte_level"
    assert (bytes_.tokens, bytes_.partial_tokens) == (6, 2)
    assert (characters.tokens, characters.single_characters) == (4, 2)


def test_one_character_of_several_bytes_is_not_spelled_out(counted):
    """It is split, but only into bytes of a single character."""
    found = measure(counted("▁ Ã ¼\n", "bbpe"), "bytes")
    assert (found.split_words, found.spelled_words) == (1, 0)


def test_unknown_tokens_of_a_held_out_text(counted):
    """Sennrich et al. 2016, Table 1: repetitions count, and other pieces of known words."""
    heldout = counted("low@@ low x x\nlow er\n", name="heldout")
    found = measure(counted(PIECES), "BPE", heldout=heldout).heldout
    assert (found.sentences, found.tokens, found.unknown) == (2, 6, 2)


def test_single_bytes_are_never_unknown(counted):
    heldout = counted("▁b c ▁ab\n", "bbpe", "heldout")
    found = measure(counted("▁a ▁b\n", "bbpe"), "BBPE", heldout=heldout).heldout
    assert (found.tokens, found.unknown) == (3, 1)  # ▁ab


def test_words_are_measured_too(counted):
    found = measure(counted("low lower\n\nnewest é low\n"), "none")
    assert (found.encoder, found.tokens, found.types, found.words) == ("words", 5, 4, 5)
    assert (found.split_words, found.length_increase) == (0, 0)


def test_line_ends_and_spaces(counted):
    plain = measure(counted("a b\n\nc\n"), "n")
    for text in ("a b\r\n\r\nc\r\n", " a  b \n \nc", "a b\n\nc"):
        found = measure(counted(text), "n")
        assert (found.sentences, found.tokens, found.types) == (3, 3, 3)
        assert (found.longest, found.median) == (2, 1)
        if " a" not in text:
            assert found == plain


def test_a_text_without_tokens(counted):
    found = measure(counted("\n"), "n")
    assert (found.sentences, found.tokens, found.longest, found.median) == (1, 0, 0, 0)
    assert found.mean_length == 0
    assert found.tokens_per_1000_characters is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\nb\rc\n", "text:2.*carriage return"),
        (b"a\n\xff\n", "text:2.*UTF-8"),
    ],
)
def test_broken_text_is_refused_with_its_line(data, message, tmp_path):
    (tmp_path / "text").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        count_text(tmp_path / "text")


def test_symbol_frequencies_in_powers_of_two():
    """Wang et al. 2020, Figure 2."""
    assert symbol_frequencies({"a": 1, "b": 2, "c": 3, "d": 4, "e": 7, "f": 8}) == {
        0: 1,
        1: 2,
        2: 2,
        3: 1,
    }


def test_symbols_shared_among_languages():
    """Wang et al. 2020, Figure 3: a is in all three, b in two, c, d and e in one each."""
    texts = [{"a": 9, "b": 1}, {"a": 1, "b": 5, "c": 1}, {"a": 1, "d": 2, "e": 1}]
    assert shared_symbols(texts) == [3, 1, 1]


def test_single_lines_are_found_again(tmp_path):
    (tmp_path / "text").write_bytes("a\r\nü\n\nd".encode())
    assert read_lines(tmp_path / "text", [0, 1, 3]) == ["a", "ü", "d"]
    assert read_lines(tmp_path / "text", []) == []
