"""Recognizing segmented text, and extracting its words and characters."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairseq_subword_ext.codecs.recognition import recognize
from fairseq_subword_ext.codecs.registry import make_codec, notation_of, readable
from fairseq_subword_ext.subword.escaping import escape_pieces

TEXT = ["Grüße an alle", "", "日本 語", "a\xa0b ▁ ␛A0;"]


@pytest.mark.parametrize(
    ("encoder", "lines"),
    [
        ("generalized_bpe", ["Gr@@ ü@@ ße an", "", "x"]),
        ("bbpe", ["▁Gr Ã¼ Ã Ɵe ▁an", "▁a"]),
        ("byte_level", ["▁ G r Ã ¼", "▁ a"]),
        ("char_level", ["G r ü ß e ▁ a n", "日 本"]),
        ("sentencepiece", ["▁Gr üße ▁an", "▁日本 語"]),
        ("sentencepiece", ["▁Gr üße ▁an", "▁über allen"]),
        ("words", ["Grüße an alle", "x"]),
        ("words", ["", ""]),
        ("words", []),
    ],
)
def test_the_notation_is_recognized(encoder, lines):
    assert recognize(lines) == encoder


def test_a_model_may_break_some_characters_of_byte_text():
    lines = ["▁GrÃ¼ ÃƟe", "▁GrÃ¼ ÃƟ e", "▁ Ã ▁"]
    assert recognize(lines) == "bbpe"


def test_another_separator():
    assert recognize(["Gr￭ üße"], "￭") == "generalized_bpe"
    assert recognize(["Gr￭ üße"]) == "words"


@pytest.mark.parametrize("encoder", ["byte_level", "char_level"])
def test_each_character_of_the_raw_text_counts_once(encoder):
    encoded = make_codec(encoder).encode_lines(TEXT)
    raw = notation_of(encoder).raw("\n".join(encoded))
    assert [len(line) for line in raw.split("\n")] == [len(line) for line in TEXT]


def test_pieces_and_escapes_are_undone():
    assert notation_of("generalized_bpe").raw("a@@ ␛A0;@@ b c\n@␛40;") == "a\xa0b c\n@@"
    assert notation_of("sentencepiece").raw("▁ab c ▁d\n▁e") == "abc d\ne"


@pytest.mark.parametrize(
    ("encoder", "line", "words"),
    [
        ("words", "ab c", "ab c"),
        ("generalized_bpe", "a@@ b c", "a|b c"),
        ("sentencepiece", "▁a b ▁c", " a|b c"),
        # A token that is only the space splits no word; one that spans two words splits neither.
        ("sentencepiece", "▁ ab ▁c▁d", " |ab c d"),
        ("char_level", "a b ▁ c", "a|b |c"),
        ("byte_level", "▁ Ã ¼ ▁ c", " |Ã|¼ |c"),
    ],
)
def test_words_with_token_boundaries(encoder, line, words):
    found = notation_of(encoder).words(line.encode()).decode()
    assert found.replace("\x1f", "|") == words


def test_a_part_has_the_characters_that_start_in_it():
    encoding = notation_of("bbpe")
    # ü is Ã ¼, ß is Ã Ɵ: the second part contains only the end of ü, the third all of ß.
    assert encoding.shape("GrÃ\x1f¼\x1fÃƟ") == ["GrÃ", "", "Ã"]
    assert notation_of("generalized_bpe").shape("a\x1f␛A0;") == ["a", "\xa0"]


def test_partial_characters():
    """日 is E6 97 A5, in stand-ins æ, U+0197, ¥."""
    encoding = notation_of("bbpe")
    assert not encoding.is_partial("▁æ\u0197¥")
    assert encoding.is_partial("▁æ")
    assert encoding.is_partial("\u0197¥")
    assert encoding.is_partial("æ\u0197¥æ")
    assert not encoding.is_partial("▁abc")


@pytest.mark.parametrize("encoder", readable())
def test_every_encoder_can_be_read(encoder):
    assert notation_of(encoder).encoder == encoder


def test_errors():
    with pytest.raises(ValueError, match=r"encoder must be one of byte_level, bbpe, .*, not 'bpe'"):
        notation_of("bpe")
    with pytest.raises(ValueError, match="separator is empty"):
        notation_of("generalized_bpe", "")


def in_pieces(word, cut):
    """Splits a word into random pieces, printed as by apply-bpe."""
    places = sorted({0, len(word), *cut.choices(range(len(word) + 1), k=3)})
    return " ".join(escape_pieces([word[a:b] for a, b in zip(places, places[1:])]))


TEXTS = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\n\r\x1f"), max_size=12
)


@pytest.mark.parametrize("encoder", ["byte_level", "char_level", "bbpe", "generalized_bpe"])
@given(lines=st.lists(TEXTS, min_size=1), seed=st.integers(0, 9))
def test_words_and_characters_are_those_of_the_raw_text(encoder, lines, seed):
    """Whatever the text, and wherever it is cut."""
    cut = random.Random(seed)
    if encoder == "generalized_bpe":
        lines = [" ".join(filter(None, line.split(" "))) for line in lines]
        encoded = [" ".join(in_pieces(word, cut) for word in line.split(" ")) for line in lines]
    elif encoder == "bbpe":
        symbols = map(str.split, make_codec("byte_level").encode_lines(lines))
        encoded = [
            "".join(" " * (cut.random() < 0.5 or symbol == "▁") + symbol for symbol in line).lstrip(
                " "
            )
            for line in symbols
        ]
    else:
        encoded = make_codec(encoder).encode_lines(lines)
    encoding = notation_of(encoder)
    raw = encoding.raw("\n".join(encoded)).split("\n")
    assert [len(line) for line in raw] == [len(line) for line in lines]
    words = encoding.words("\n".join(encoded).encode()).decode().replace("\n", " ").split(" ")
    found = ["".join(encoding.shape(word)) for word in words if word.strip("\x1f")]
    expected = [word for line in lines for word in line.split(" ") if word]
    assert [len(word) for word in found] == [len(word) for word in expected]
