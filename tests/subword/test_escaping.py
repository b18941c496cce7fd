"""Escapes: reversible on any text, absent from ordinary pieces, and safe in Fairseq."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairseq_subword_ext.subword import escaping

# Words full of characters and strings that need escapes, cut anywhere.
AWKWARD = st.sampled_from(
    [*escaping.UNICODE_SPACES, *"␛;@</s>puknad0A1_", "</s>", "<unk>", "madeupword0000", "␛A0;", "ක"]
)
PIECES = st.lists(st.lists(AWKWARD, min_size=1).map("".join), min_size=1)
SEPARATORS = st.sampled_from(["@@", "_", "￭", "s>", "@", "k>", "0000"])


def python_splits(token):
    """Whether Fairseq's tokenize_line (split at \\s+, then strip) leaves the token whole."""
    return re.sub(r"\s+", " ", token).strip().split() != [token]


def test_the_spaces_are_those_that_python_splits_at():
    spaces = {chr(code) for code in range(0x110000) if chr(code).isspace()} - {" "}
    assert set(escaping.UNICODE_SPACES) == spaces
    assert all(re.fullmatch(r"\s", space) for space in spaces)


@pytest.mark.parametrize(
    ("pieces", "tokens"),
    [
        (["low"], ["low"]),
        (["lo", "w"], ["lo@@", "w"]),
        (["1", "0\xa0", "km"], ["1@@", "0␛A0;@@", "km"]),
        (["\xa0", "x"], ["␛A0;@@", "x"]),
        (["\t"], ["␛9;"]),
        (["a\u3000b"], ["a␛3000;b"]),
        (["</s>"], ["␛3C;/s>"]),
        (["</s>", "x"], ["</s>@@", "x"]),
        (["<unk>"], ["␛3C;unk>"]),
        (["madeupword0003"], ["␛6D;adeupword0003"]),
        (["madeupword003"], ["madeupword003"]),
        (["␛A0;"], ["␛241B;A0;"]),
        (["@@"], ["@␛40;"]),
        (["a", "@@"], ["a@@", "@␛40;"]),
        (["@@", "a"], ["@@@@", "a"]),
    ],
)
def test_the_table(pieces, tokens):
    assert escaping.escape_pieces(pieces) == tokens
    assert escaping.join_pieces(" ".join(tokens)) == "".join(pieces)


@given(words=st.lists(PIECES, min_size=1), separator=SEPARATORS)
@example(words=[["@"], ["@"]], separator="@")
@example(words=[["</"], ["x"]], separator="s>")
@example(words=[["␛", "A0;"]], separator="@@")
@example(words=[["madeupword"], ["x"]], separator="0000")
def test_round_trip(words, separator):
    tokens = [token for pieces in words for token in escaping.escape_pieces(pieces, separator)]
    text = " ".join("".join(pieces) for pieces in words)
    assert escaping.join_pieces(" ".join(tokens), separator) == text
    assert not any(python_splits(token) for token in tokens)
    assert not any(escaping.is_control(token) for token in tokens)
    # Fairseq's own --remove-bpe followed by unescaping gives the same.
    joined = (" ".join(tokens) + " ").replace(separator + " ", "").rstrip(" ")
    assert escaping.unescape(joined) == text


@given(st.lists(st.text("abc<>@ක", min_size=1), min_size=1))
def test_ordinary_pieces_do_not_change(pieces):
    plain = [piece + "@@" for piece in pieces[:-1]] + [pieces[-1]]
    if not pieces[-1].endswith("@@"):
        assert escaping.escape_pieces(pieces) == plain


@given(st.text())
def test_a_model_may_print_anything(text):
    escaping.join_pieces(text)
    escaping.unescape(text + "␛110000;␛D800;␛;␛A0")


@pytest.mark.parametrize("text", ["␛110000;", "␛D800;", "␛;", "␛A0", "␛a0;", "␛0000000A0;"])
def test_what_only_looks_like_an_escape_stays(text):
    assert escaping.unescape(text) == text


@pytest.mark.parametrize("separator", ["", " ", "@@ ", "\xa0", "a\u2028", "␛", ";", "@;"])
def test_ambiguous_separators_are_rejected(separator):
    with pytest.raises(ValueError, match="separator"):
        escaping.check_separator(separator)


def test_fairseq_reads_every_token_as_one_ordinary_symbol(tmp_path):
    fairseq_data = pytest.importorskip("fairseq.data")
    words = [["10\xa0km"], ["</s>"], ["<pad>", "<pad>"], ["\u2028"], ["madeupword0000"], ["@@"]]
    words += [[space] for space in escaping.UNICODE_SPACES]
    tokens = [token for pieces in words for token in escaping.escape_pieces(pieces)]
    dictionary = fairseq_data.Dictionary()
    ids = dictionary.encode_line(" ".join(tokens)).tolist()
    assert min(ids[:-1]) >= dictionary.nspecial
    assert len(ids) == len(tokens) + 1
    dictionary.finalize()
    dictionary.save(str(tmp_path / "dict.txt"))
    loaded = fairseq_data.Dictionary.load(str(tmp_path / "dict.txt"))
    assert loaded.symbols == dictionary.symbols
    again = loaded.encode_line(" ".join(tokens), add_if_not_exist=False)
    text = " ".join("".join(pieces) for pieces in words)
    assert escaping.join_pieces(loaded.string(again)) == text
