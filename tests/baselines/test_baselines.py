"""The baselines: they lose nothing and cut words as the papers describe."""

import importlib
import random
import re

import pyphen
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairseq_subword_ext.baselines.alignment import aligned_words
from fairseq_subword_ext.baselines.char_ngrams import CharNgrams, most_frequent
from fairseq_subword_ext.baselines.compounds import Compounds
from fairseq_subword_ext.baselines.hyphenation import Hyphenation
from fairseq_subword_ext.baselines.morfs import Morfs
from fairseq_subword_ext.baselines.words import Words
from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.registry import notation_of
from fairseq_subword_ext.subword.escaping import UNICODE_SPACES, is_control

# Counts of Koehn & Knight 2003, section 4.2.
KOEHN_KNIGHT = {
    "aktionsplan": 852, "aktion": 960, "aktions": 5, "plan": 710, "akt": 224, "ion": 1,
    "freitag": 556, "frei": 885, "tag": 1864,
}  # fmt: skip

MORFS = Morfs.train({"walk": 9, "walked": 5, "walking": 7, "talk": 8, "talked": 6, "talking": 4})

CODECS = {
    "word": Words(),
    "characters": CharNgrams(1),
    "char-ngrams": CharNgrams(2, frozenset({"the", "tag", "ab", "\xa0", "@@"})),
    "char-trigrams": CharNgrams(3),
    "compounds": Compounds({**KOEHN_KNIGHT, "ab": 3, "b": 2, "ß": 4}, min_length=1),
    "morfessor": MORFS,
    "hyphenation": Hyphenation("de"),
}

# Any line, and hard ones: all kinds of spaces, separators, escapes, control symbols.
LINES = st.one_of(
    st.text(st.characters(blacklist_characters="\n", blacklist_categories=["Cs"])),
    st.lists(
        st.sampled_from(
            [" ", "  ", "@@", "@", "@@ ", "␛", "␛20;", "␛40;", "<unk>", "</s>", "madeupword0000",
             "freitag", "Aktionsplan,", "walking", "ßİ", "ා්‍", *UNICODE_SPACES.replace("\n", "")]
        ),
        max_size=8,
    ).map("".join),
)  # fmt: skip


@pytest.mark.parametrize("name", CODECS)
@given(line=LINES)
def test_any_line_is_restored_before_and_after_fairseq_has_read_it(name, line):
    encoded = CODECS[name].encode(line)
    assert "\n" not in encoded
    tokens = re.split(r"\s+", encoded.strip())  # fairseq.tokenizer.tokenize_line
    assert not any(map(is_control, tokens))
    notation = notation_of(name if name != "char-trigrams" else "char-ngrams")
    assert notation.decode_lines([encoded, " ".join(tokens)]) == [line, line]
    assert CODECS[name].decode(encoded) == line


@pytest.mark.parametrize("name", CODECS)
def test_impossible_lines_are_rejected(name):
    with pytest.raises(ValueError, match="character 2: found a newline"):
        CODECS[name].encode("a\nb")
    with pytest.raises(ValueError, match="line 2, character 1: found the lone surrogate"):
        CODECS[name].encode_lines(["a", "\ud800"])
    assert "\n" not in CODECS[name].decode("a ␛A; b")


def test_extra_spaces_are_pieces_of_their_own():
    encode = Words().encode
    assert encode("a  b") == "a ␛20;@@ b"
    assert encode(" a ") == "␛20;@@ a@@ ␛20;"
    assert encode("  ") == "␛20;@@ ␛20;"
    assert encode("") == ""


def test_words_outside_the_shortlist_are_unknown():
    words = Words(frozenset({"a", "<unk>"}))
    assert words.encode("a b <unk>") == "a <unk> ␛3C;unk>"


def test_the_shortlist_has_the_most_frequent_words_ties_by_first_occurrence():
    counts = {"z": 2, "b": 3, "a": 2, "c": 2}
    assert most_frequent(counts, 2) == {"b", "z"}
    assert most_frequent(counts, 9) == set(counts)
    assert most_frequent(counts, 0) == set()
    with pytest.raises(ValueError, match="must be 0 or more, not -1"):
        most_frequent(counts, -1)


def test_char_ngrams():
    assert CharNgrams(2, {"the"}).encode("the tree ab") == "the tr@@ ee ab"
    assert CharNgrams(3).encode("treetops") == "tre@@ eto@@ ps"
    assert CharNgrams(1).encode("né xy") == "n@@ é x@@ y"
    with pytest.raises(ValueError, match="n must be 1 or more, not 0"):
        CharNgrams(0)


def test_compounds_as_in_koehn_and_knight():
    # Section 4.2: 852 for the whole, 825.6 for aktion-plan, 59.6 for aktions-plan, 54.2 for
    # akt-ion-plan; freitag 556, frei-tag 1284.4.
    compounds = Compounds(KOEHN_KNIGHT)
    assert compounds.pieces("aktionsplan") == ["aktionsplan"]
    assert compounds.pieces("freitag") == ["frei", "tag"]
    without_whole = {word: n for word, n in KOEHN_KNIGHT.items() if word != "aktionsplan"}
    assert Compounds(without_whole).pieces("aktionsplan") == ["aktions", "plan"]
    assert Compounds(without_whole, fillers=()).pieces("aktionsplan") == ["aktions", "plan"]
    without_aktions = {word: n for word, n in without_whole.items() if word != "aktions"}
    assert Compounds(without_aktions).pieces("aktionsplan") == ["aktions", "plan"]
    assert Compounds(without_aktions, fillers=()).pieces("aktionsplan") == ["aktionsplan"]
    assert Compounds(KOEHN_KNIGHT, min_count=857).pieces("freitag") == ["frei", "tag"]
    assert Compounds(KOEHN_KNIGHT, min_count=900).pieces("freitag") == ["freitag"]
    assert Compounds(KOEHN_KNIGHT, min_length=4).pieces("freitag") == ["freitag"]


def test_compounds_keep_case_and_other_characters():
    compounds = Compounds({"Haus,": 5, "Tür": 5, "haustür": 1, "x": 9})
    assert compounds.pieces("HausTür-haustür!") == ["Haus", "Tür-haus", "tür!"]
    assert compounds.pieces("İstanbulhaus") == ["İstanbulhaus"]
    assert compounds.pieces("haus" * 500) == ["haus" * 500]


@given(st.lists(st.sampled_from("ab"), min_size=2, max_size=9).map("".join), st.data())
def test_the_best_split_is_found(word, data):
    parts = st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("".join)
    counts = data.draw(st.dictionaries(parts, st.integers(1, 50), max_size=8))

    def splits(rest):
        yield [rest]
        for end in range(1, len(rest)):
            yield from ([rest[:end], *others] for others in splits(rest[end:]))

    def mean(parts):
        product = 1
        for part in parts:
            product *= counts.get(part, 0)
        return product ** (1 / len(parts))

    found = Compounds(counts, min_length=1, fillers=()).pieces(word)
    best = max(map(mean, splits(word)))
    assert mean(found) == pytest.approx(best)
    assert best > 0 or found == [word]


@pytest.mark.parametrize("word", ["Silbentrennung", "Autobahn", "Donaudampfschiff", "ja"])
def test_hyphenation_cuts_where_the_library_hyphenates(word):
    expected = pyphen.Pyphen(lang="de_DE").inserted(word, "|").split("|")
    assert Hyphenation("de").pieces(word) == expected
    assert Hyphenation("de_DE").pieces(f"({word})") == [
        f"({expected[0]}", *expected[1:-1], f"{expected[-1]})",
    ] if len(expected) > 1 else [f"({word})"]  # fmt: skip
    assert len(expected) > 1 or word == "ja"


def test_hyphenation_with_changing_letters_and_unknown_languages():
    assert Hyphenation("hu").pieces("asszonnyal") == ["as", "szon", "nyal"]
    with pytest.raises(ValueError, match=r"no hyphenation patterns for 'tlh', only for .*de, "):
        Hyphenation("tlh")


def test_morfessor_finds_morphs_deterministically(tmp_path, capfd):
    stems = [f"{first}{rest}" for first in "bcdfgjklmnprst" for rest in ("amper", "oll", "in")]
    counts = {f"{stem}{end}": 1 for stem in stems for end in ("", "ed", "ing", "s")}
    random.seed(5)
    state = random.getstate()
    morfs = Morfs.train(counts)
    assert random.getstate() == state
    assert capfd.readouterr() == ("", "")  # the library prints dots by default
    words = [*counts, "zampering", "xyz"]
    pieces = [morfs.pieces(word) for word in words]
    assert sum(cut[-1] == "ing" for cut in pieces) > len(stems) / 2
    morfs.save(tmp_path / "model")
    for other in Morfs.train(counts), Morfs.load(tmp_path / "model"):
        assert [other.pieces(word) for word in words] == pieces


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3 walk ing\nx walk\n", "model:2: expected a count and morphs, found 'x walk'"),
        ("3 walk  ing\n", "model:1: expected a count and morphs"),
        ("0 walk\n", "model:1: expected a count"),
        ("", "the model is empty"),
    ],
)
def test_an_invalid_model_is_rejected(text, message, tmp_path):
    (tmp_path / "model").write_text(text)
    with pytest.raises(ValueError, match=message):
        Morfs.load(tmp_path / "model")


def test_a_missing_library_names_the_extra(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match=r"pip install 'fairseq_subword_ext\[hyphenation\]'"):
        Hyphenation("de")
    with pytest.raises(ImportError, match=r"pip install 'fairseq_subword_ext\[morfessor\]'"):
        Morfs.train({"a": 1})
    with pytest.raises(ImportError, match=r"pip install 'fairseq_subword_ext\[align\]'"):
        list(aligned_words([["a"]], [["b"]]))


def test_words_are_cached():
    seen = []

    class Counting(Words):
        def pieces(self, word):
            seen.append(word)
            return [word]

    assert issubclass(Counting, Codec)
    Counting().encode_lines(["a b a", " b  a"])
    assert seen == ["a", "b"]
