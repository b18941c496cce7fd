"""The dictionary: what fairseq-preprocess would write, and all tokens that codes can produce."""

import random

import pytest

from fairseq_subword_ext.subword import dictionary
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.merge_table import MergeTable


def table(version, merges, alphabet, unit="char"):
    return MergeTable(merges, unit, version, {"alphabet": alphabet})


def test_what_codes_with_a_joined_marker_can_produce():
    codes = table("0.2", [("a", "b"), ("ab", "c</w>"), ("c", "a")], {"a": 3, "b": 2, "c</w>": 2})
    tokens = dictionary.producible_tokens(codes)
    assert set(tokens) == {"a@@", "b@@", "c@@", "ab@@", "ca@@", "a", "b", "c", "abc"}


def test_what_codes_with_a_separate_marker_can_produce():
    codes = table("0.1", [("a", "b"), ("ab", "</w>")], {"a": 3, "b": 2, "</w>": 2})
    tokens = dictionary.producible_tokens(codes)
    assert set(tokens) == {"a@@", "b@@", "ab@@", "a", "b", "ab"}


def test_the_separator_and_the_escapes():
    codes = table("0.2", [("<", "s"), ("<s", "></w>")], {"<": 1, "s": 1, ">": 1, "\xa0": 1})
    tokens = dictionary.producible_tokens(codes, "￭")
    assert {"␛A0;￭", "␛A0;", "<s￭"} < set(tokens)
    assert "<s>" not in tokens


def test_a_marker_that_the_text_spells():
    merges = [("<", "/"), ("</", "w"), ("</w", ">"), ("x", "</w>"), ("x</w>", "y</w>")]
    codes = table("0.2", merges, dict.fromkeys(["<", "/", "w", ">", "x", "y</w>"], 1))
    tokens = dictionary.producible_tokens(codes)
    assert {"x</w>@@", "x</w>y", "</w>@@"} < set(tokens)


def test_all_bytes_are_included():
    codes = MergeTable([("▁", "ä"), ("▁ä", "¸")], "byte", "byte-1")
    tokens = dictionary.producible_tokens(codes)
    assert tokens == [*BYTE_SYMBOLS, "▁ä", "▁ä¸"]


def test_a_missing_alphabet_asks_for_text():
    with pytest.raises(ValueError, match="segmented training text"):
        dictionary.producible_tokens(MergeTable([("a", "b")]))


def test_composed_and_decomposed_characters_stay_apart():
    codes = table("0.2", [], {"é": 1, "e": 1, "\u0301": 1})
    assert {"é", "e", "\u0301"} < set(dictionary.producible_tokens(codes))


def test_tokens_that_fairseq_misreads_are_reported():
    symbols, harmful = dictionary.count_tokens({"a\xa0b": 2, "</s>": 3, "c": 1})
    assert symbols == {"a": 2, "b": 2, "c": 1}
    assert harmful == {"a\xa0b": 2, "</s>": 3}


@pytest.mark.parametrize("threshold", [0, 2, 5])
@pytest.mark.parametrize("num_words", [None, 9, 16])
@pytest.mark.parametrize("padding_factor", [1, 8])
def test_the_file_is_that_of_fairseq(tmp_path, threshold, num_words, padding_factor):
    fairseq_data = pytest.importorskip("fairseq.data")
    generator = random.Random(threshold)
    tokens = [f"{generator.choice('abcඅක')}{generator.randrange(9)}" for _ in range(90)]
    theirs = fairseq_data.Dictionary()
    for token in tokens:
        theirs.add_symbol(token)
    theirs.finalize(threshold, num_words or -1, padding_factor)
    theirs.save(str(tmp_path / "theirs"))
    counts = {token: tokens.count(token) for token in tokens}
    ours = dictionary.finalize(counts, threshold, num_words, padding_factor)
    dictionary.save(ours, tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_symbols_that_are_always_kept():
    entries = dictionary.finalize({"a": 9, "b": 1}, 2, 8, 1, keep=["x", "y"])
    assert entries == [("a", 9), ("x", 0), ("y", 0)]
    with pytest.raises(ValueError, match="always kept"):
        dictionary.finalize({}, num_words=5, keep=["x", "y"])
