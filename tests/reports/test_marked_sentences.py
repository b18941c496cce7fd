"""Breaking sentences into parts for display."""

import pytest

from fairseq_subword_ext.codecs.registry import notation_of
from fairseq_subword_ext.reports.marked_sentences import is_right_to_left, is_split, mark
from fairseq_subword_ext.reports.sentences import spread_lines


def shown(line, encoder):
    """Words separated by spaces, tokens by |, bytes in <>, code points in []."""
    frames = {"text": "{}", "space": "_", "bytes": "<{}>", "code": "[{}]"}
    return " ".join(
        "|".join("".join(frames[kind].format(text) for kind, text in token.parts) for token in word)
        for word in mark(line, notation_of(encoder))
    )


@pytest.mark.parametrize(
    ("encoder", "line", "expected"),
    [
        ("words", "ab  c", "ab c"),
        ("generalized_bpe", "a@@ b c", "a|b c"),
        ("generalized_bpe", "a@@ ␛A0;b @␛40;", "a|[U+00A0]b @@"),
        ("sentencepiece", "▁a b ▁ c", "_a|b _|c"),
        ("char_level", "a b ▁ ␛2581; ␛A0;", "a|b _|▁|[U+00A0]"),
        # 日本 is E6 97 A5, E6 9C AC; by the table of stand-ins æ U+0197 ¥ æ U+019C ¬.
        ("bbpe", "▁æ \u0197¥ æ\u019c¬ ▁ab", "_<E6>|<97><A5>|本 _ab"),
        ("bbpe", "▁æ\u0197¥æ \u019c¬", "_日<E6>|<9C><AC>"),
        ("bbpe", "▁a <unk>", "_a|[<unk>]"),
        ("byte_level", "▁ ▁ a ▁", "_ _|a _"),
    ],
)
def test_words_tokens_and_bytes(encoder, line, expected):
    assert shown(line, encoder) == expected


def test_joiners_stay_between_letters_and_show_elsewhere():
    """Sinhala needs them: U+0DB4 U+0DCA U+200D U+0DBB is one cluster."""
    cluster = "ප\u0dca\u200dර"
    assert shown(cluster, "words") == cluster
    assert shown("ප\u0dca\u200d", "words") == "ප\u0dca[U+200D]"
    assert shown("a\u202eb", "words") == "a[U+202E]b"


def test_which_words_are_split():
    words = mark("▁ab ▁ c ▁d e", notation_of("sentencepiece"))
    assert [is_split(word) for word in words] == [False, False, True]


def test_a_token_that_begins_with_a_combining_mark():
    [[first, second]] = mark("n@@ \u0303a", notation_of("generalized_bpe"))
    assert not first.begins_with_mark
    assert second.begins_with_mark


def test_direction_is_that_of_most_letters():
    assert is_right_to_left("LILO הוגדרה לעבוד")
    assert not is_right_to_left("the word שלום")
    assert not is_right_to_left("123")


def test_lines_are_spread_evenly():
    """The middle of each of 3 parts of 12 lines, from 0: 2, 6 and 10."""
    assert spread_lines(12, 3) == [2, 6, 10]
    assert spread_lines(2, 10) == [0, 1]
    assert spread_lines(0, 10) == []
