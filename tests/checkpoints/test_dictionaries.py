"""Dictionaries from untrusted sources: read as Fairseq reads them, or refused in one line."""

import pytest
from damaged_files import damaged
from hypothesis import example, given, settings
from hypothesis import strategies as st

fairseq_data = pytest.importorskip("fairseq.data")

from fairseq_subword_ext.checkpoints.dictionaries import load_dictionary  # noqa: E402
from fairseq_subword_ext.data.common_dictionary import CommonDictionary  # noqa: E402

DICTIONARY = "the 12\n▁x 3\na 3\na 1 #fairseq:overwrite\nmadeupword0000 0\n".encode()


@settings(max_examples=150)
@given(st.one_of(damaged(DICTIONARY), st.binary(max_size=30)))
@example(b"the " + b"9" * 5000)
@example(b"the 99999999999999999999\n")
@example(b"the --5\n")
@example("the ٣\n".encode())
@example(b"the 1\nthe 2\n")
@example(b"<unk> 1\n")
@example(b"the\n" * 3)
@example(b" 5\n")
@example(b"#fairseq:overwrite\n")
@example(b"a\x00b 1\n\x00 2\n")
@example(b"\x00" * 1000)
@example(b"x" * 200_000 + b"\n")
@example(b"x" * 200_000 + b" 1\n")
@example(b"a\rb 1\n")
@example(b"\xff\xfea\x00 \x001\x00")
@example(b"\xed\xa0\x80 1\n")
def test_any_bytes_are_a_dictionary_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "dict.en.txt"
    path.write_bytes(data)
    try:
        dictionary = load_dictionary(path)
    except ValueError as error:
        assert str(error).startswith(str(path)) and "\n" not in str(error)
        assert len(str(error)) < len(str(path)) + 400
        return
    try:
        theirs = fairseq_data.Dictionary.load(str(path))
    except Exception:  # such as blank lines at the end, which are no harm
        return
    if not data.startswith(b"\xef\xbb\xbf"):
        assert (dictionary.symbols, dictionary.count) == (theirs.symbols, theirs.count)
        assert dictionary.indices == theirs.indices


def test_the_class_is_as_asked(tmp_path):
    (tmp_path / "dict.en.txt").write_bytes(DICTIONARY)
    dictionary = load_dictionary(tmp_path / "dict.en.txt", CommonDictionary)
    assert isinstance(dictionary, CommonDictionary)
    assert dictionary.index("a") == fairseq_data.Dictionary.load(
        str(tmp_path / "dict.en.txt")
    ).index("a")
