"""Vocabulary files: subword-nmt's order, thresholds, and errors that name the line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairseq_subword_ext.subword.vocabulary import Vocabulary


def written(tmp_path, text):
    path = tmp_path / "vocab"
    path.write_bytes(text.encode("utf-8"))
    return path


def test_most_frequent_first_ties_by_first_occurrence():
    vocabulary = Vocabulary.from_lines(["b@@ a  c\r\n", "", "c a d"])
    assert vocabulary.most_frequent_first() == [("a", 2), ("c", 2), ("b@@", 1), ("d", 1)]


def test_only_the_ordinary_space_separates_tokens():
    assert list(Vocabulary.from_lines(["a\xa0b\tc d"]).counts) == ["a\xa0b\tc", "d"]


@given(st.lists(st.text(st.characters(exclude_characters=" \n\r", codec="utf-8"), min_size=1)))
def test_round_trip(tmp_path_factory, tokens):
    vocabulary = Vocabulary.from_lines([" ".join(tokens)])
    path = tmp_path_factory.mktemp("vocabulary") / "vocab"
    vocabulary.save(path)
    loaded = Vocabulary.load(path, escaped=False).counts
    # A byte-order mark at the start of a file is dropped, so the first token cannot start with one.
    if not next(iter(loaded), "").startswith("\ufeff"):
        assert {token.lstrip("\ufeff"): n for token, n in loaded.items()}.keys() == {
            token.lstrip("\ufeff") for token in vocabulary.counts
        }


def test_thresholds():
    vocabulary = Vocabulary({"a": 3, "b": 2, "c": 0})
    assert vocabulary.tokens() == {"a", "b", "c"}
    assert vocabulary.tokens(2) == {"a", "b"}
    assert vocabulary.tokens(3) == {"a"}


def test_concatenated_files_count_once(tmp_path):
    path = written(tmp_path, "a 1\nb 5\na 7\nb 2\n")
    assert Vocabulary.load(path).counts == {"a": 7, "b": 5}


def test_escapes_are_undone_for_the_filter(tmp_path):
    path = written(tmp_path, "0␛A0;@@ 4\n␛3C;/s> 2\r\n")
    assert Vocabulary.load(path).counts == {"0\xa0@@": 4, "</s>": 2}
    assert Vocabulary.load(path, escaped=False).counts == {"0␛A0;@@": 4, "␛3C;/s>": 2}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a b 3\n", 1, "3 columns"),
        ("a 1\na\t3\n", 2, "tab"),
        ("a 1\n 3\n", 2, "expected 'subword count'"),
        ("a 1\n\nb 2\n", 2, "blank line"),
        ("a -1\n", 1, "whole number"),
        ("a 2.5\n", 1, "whole number"),
        ("#version: 0.2\na b\n", 1, "codes file"),
        ("e s\n", 1, "codes file"),
        ("a 99999999999999999999\n", 1, "whole number"),
    ],
)
def test_errors_name_the_line_and_the_mistake(tmp_path, text, line, words):
    path = written(tmp_path, text)
    with pytest.raises(ValueError, match=words) as caught:
        Vocabulary.load(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_bytes_that_are_not_utf8(tmp_path):
    path = tmp_path / "vocab"
    path.write_bytes(b"a 1\n\xff\xfe 2\n")
    with pytest.raises(ValueError, match=r":2: byte 0xFF at offset 4 is not UTF-8"):
        Vocabulary.load(path)
