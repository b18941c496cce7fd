"""ISO 9 both ways, and joint merges that cut a name alike in both scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.transliteration import (
    ISO9,
    Transliteration,
    parse_transliteration,
)

RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
# ISO 9:1995, in the same order.
LATIN = "abvgdeëžzijklmnoprstufhcčšŝʺyʹèûâ"

ENGLISH = (
    "vladimir moskva ivan petrov vladimir moskva the house of the man x-ray quick Vladimir".split()
)
RUSSIAN_TEXT = (
    "владимир москва иван петров дом дома москвы и владимира иванов Москва X-лучи".split()
)


def test_the_table_has_every_russian_letter():
    assert [ISO9[letter] for letter in RUSSIAN] == list(LATIN)
    capitals = {letter.upper(): latin.upper() for letter, latin in zip(RUSSIAN, LATIN)}
    assert all(ISO9[letter] == latin for letter, latin in capitals.items() if letter not in "ЪЬ")
    assert set(capitals) <= set(ISO9)


def test_the_table_is_one_to_one():
    assert len(set(ISO9.values())) == len(ISO9)
    assert not set(ISO9.values()) & set(ISO9)
    assert all(len(letter) == len(latin) == 1 for letter, latin in ISO9.items())
    iso9 = Transliteration()
    for letter, latin in ISO9.items():
        assert iso9.to_latin(letter) == latin
        assert iso9.to_cyrillic(latin) == letter


@given(st.text(st.sampled_from("".join(ISO9) + " 0-.,")))
def test_cyrillic_round_trip(text):
    iso9 = Transliteration()
    assert iso9.to_cyrillic(iso9.to_latin(text)) == text


def test_latin_letters_without_a_cyrillic_equivalent():
    iso9 = Transliteration()
    assert iso9.to_latin("Щука, 5 Xß漢") == "Ŝuka, 5 Xß漢"
    assert [iso9.to_cyrillic(letter) for letter in "wqxWQXßæ"] == [None] * 8
    assert iso9.to_cyrillic("v1漢-") == "в1漢-"
    with pytest.raises(ValueError, match="must be one of iso9, not 'gost'"):
        Transliteration("gost")


@pytest.fixture(scope="module", params=["0.1", "0.2"])
def both(request):
    iso9 = Transliteration()
    words = dict.fromkeys(ENGLISH + RUSSIAN_TEXT, 9)
    table = learn_bpe(iso9.latin_counts(words.items()), 60, version=request.param)
    return table, iso9.with_cyrillic_merges(table, words)


def test_each_merge_is_followed_by_its_cyrillic_form(both):
    table, joint = both
    assert [merge for merge in joint if merge in set(table)] == list(table)
    index = {merge: rank for rank, merge in enumerate(joint)}
    assert len(index) == len(joint)
    assert index["с", "к"] == index["s", "k"] + 1
    assert not any("w" in left + right.replace("</w>", "") for left, right in joint if "в" in left)
    assert joint.alphabet["в</w>" if joint.version == "0.2" else "в"] > 0
    assert {"x", "л", "V"} <= {symbol[0] for symbol in joint.alphabet}


@given(st.data())
def test_a_name_is_cut_alike_in_both_scripts(both, data):
    letters = st.text(st.sampled_from(RUSSIAN + RUSSIAN.upper() + "-1."), min_size=1, max_size=12)
    names = st.sampled_from(["владимир", "Москва", "петрова", "иванович"]) | letters
    word = data.draw(names)
    iso9, segmenter = Transliteration(), Segmenter(both[1])
    cut = segmenter.segment_line(word)
    assert segmenter.segment_line(iso9.to_latin(word)) == iso9.to_latin(cut)
    assert iso9.to_latin(cut) == Segmenter(both[0]).segment_line(iso9.to_latin(word))


def test_the_flag_chooses_texts_by_their_language():
    _, chosen = parse_transliteration("ru=iso9", ["a.en", "a.ru", "ru", "b.ru"])
    assert chosen == [False, True, False, True]
    with pytest.raises(ValueError, match="expected LANGUAGE=SCHEME, for example ru=iso9"):
        parse_transliteration("ru", ["a.ru"])
    with pytest.raises(ValueError, match=r"no input \(-i\) ends in \.ru: a\.uk, b\.en"):
        parse_transliteration("ru=iso9", ["a.uk", "b.en"])
