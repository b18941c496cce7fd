"""Borders of byte text: the definition, the core tested against it, and SentencePiece as oracle."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_learner import MEASURES, TIE_BREAKS

from fairseq_subword_ext.subword import reference
from fairseq_subword_ext.subword.borders import BORDERS, allows
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS, symbols_to_bytes, to_byte_text
from fairseq_subword_ext.subword.goodness import Measure
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.sentencepiece_trainer import train_sentencepiece_bytes

# Characters of one to four bytes; the stand-in of µ's second byte is U+00B5, a letter of no script.
CHARACTERS = "ab7.é×µßжд中語ァ😀🎈"
words = st.text(st.sampled_from(CHARACTERS), min_size=1, max_size=9)
word_counts = st.dictionaries(words, st.integers(1, 7), min_size=1, max_size=12)


def is_part_of_a_character(data):
    """Whether the bytes are inside one character, by brute force over all characters."""
    return any(
        data in character.encode() and data != character.encode() for character in CHARACTERS
    )


def is_whole_characters(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize(
    "symbol, sentencepiece, character",
    [
        ("▁", True, True),
        ("▁ab", True, True),
        ("▁12.", True, True),
        ("▁a1", False, True),
        ("a.", False, True),
        ("▁" + "a" * 15, True, True),
        ("▁" + "a" * 16, False, True),
        (to_byte_text("é"), False, True),  # Ã is Latin, © is not
        (to_byte_text("ж"), False, True),  # Ð is Latin, ¶ is not
        (to_byte_text("н"), False, True),  # Ð ½
        (to_byte_text("р"), True, True),  # Ñ Ģ
        (to_byte_text("µ"), False, True),  # Â and the micro sign, a letter of no script
        (to_byte_text("中")[1:3], False, True),
        ("a" + to_byte_text("中")[1:3], False, False),
        (to_byte_text("中")[2:] + "a", False, False),
    ],
)
def test_what_borders_allow(symbol, sentencepiece, character):
    assert allows(symbol, "none")
    assert allows(symbol, "sentencepiece") == sentencepiece
    assert allows(symbol, "character") == character


def test_the_scripts_are_sentencepieces(tmp_path):
    """A letter or a digit before each of the 255 other stand-ins, all equally often."""
    import sentencepiece

    lines = [first + symbol for first in "a1" for symbol in BYTE_SYMBOLS if symbol != "▁"]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines * 3), model_prefix=str(tmp_path / "model"), model_type="bpe",
        vocab_size=2000, hard_vocab_limit=False, normalization_rule_name="identity",
        character_coverage=1.0, unk_piece="\u2047", minloglevel=2,
    )  # fmt: skip
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "model.model"))
    for line in lines:
        joined = " ".join(processor.encode(line, out_type=str)) == "▁" + line
        assert joined == allows("▁" + line, "sentencepiece"), line


@settings(max_examples=60)
@given(
    word_counts,
    st.sampled_from(MEASURES),
    st.sampled_from(BORDERS),
    st.sampled_from(TIE_BREAKS),
    st.integers(1, 3),
)
def test_native_equals_reference(counts, measure, borders, tie_break, min_frequency):
    options = {
        "measure": measure, "borders": borders, "tie_break": tie_break, "min_frequency": min_frequency,
    }  # fmt: skip
    learned = learn_bpe(counts, 60, unit="byte", **options)
    assert learned.merges == reference.learn(counts, 60, version="byte-1", **options)
    assert learned.metadata["borders"] == borders
    assert f"|borders:{borders}|" in learned.signature()


class Bigrams(Measure):
    """A user-defined measure that reads all statistics that borders could affect."""

    name = "bigrams"
    reads = frozenset({"occ", "L", "R", "c"})

    def score(self, stats):
        return stats.occ * (stats.L + stats.R) / (stats.c_a + stats.c_b)


@settings(max_examples=40)
@given(word_counts, st.sampled_from(BORDERS))
def test_users_measures_keep_to_borders(counts, borders):
    learned = learn_bpe(counts, 60, Bigrams(), unit="byte", borders=borders, min_frequency=1)
    expected = reference.learn(
        counts, 60, Bigrams(), version="byte-1", borders=borders, min_frequency=1
    )
    assert learned.merges == expected


@settings(max_examples=100)
@given(word_counts, st.sampled_from(MEASURES))
def test_character_borders_never_mix_a_part_of_a_character(counts, measure):
    table = learn_bpe(counts, 200, measure, unit="byte", borders="character", min_frequency=1)
    for left, right in table.merges:
        data = symbols_to_bytes(left + right)
        assert is_whole_characters(data) != is_part_of_a_character(data)
    for line in Segmenter(table).segment_lines(list(counts)):
        for token in line.split(" "):
            data = symbols_to_bytes(token)
            assert is_whole_characters(data) != is_part_of_a_character(data)


ALPHABETS = (
    "abcdefghiß",
    "абвгдежи",
    "αβγδεζηθ",
    "中文字語日本",
    "אבגדהוזח",
    "กขฃคฅฆง",
    "0123456789",
)


def text_in_many_scripts(lines=3000, seed=5):
    draw = random.Random(seed)
    vocabulary = []
    for alphabet in ALPHABETS:
        syllables = ["".join(draw.choices(alphabet, k=draw.randint(1, 3))) for _ in range(30)]
        vocabulary += [
            "".join(draw.choices(syllables, k=draw.randint(1, 4)))
            + draw.choice(["", "", ".", ",", "-2"])
            for _ in range(150)
        ]
    draw.shuffle(vocabulary)
    weights = [1 / (rank + 3) for rank in range(len(vocabulary))]
    return [" ".join(draw.choices(vocabulary, weights, k=12)) for _ in range(lines)]


def share_and_length(segmented):
    """The statistics of Table 3: share of tokens with a partial character, mean sentence length."""
    tokens = [token for line in segmented for token in line]
    partial = sum(not is_whole_characters(symbols_to_bytes(token)) for token in tokens)
    return partial / len(tokens), len(tokens) / len(segmented)


@pytest.mark.parametrize("symbols", [600, 1200])
def test_sentencepiece_borders_equal_sentencepieces(tmp_path, symbols):
    import sentencepiece

    lines = text_in_many_scripts()
    path = tmp_path / "text"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    train_sentencepiece_bytes([path], tmp_path / "model", symbols, borders="sentencepiece")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "model.model"))
    pieces = [processor.id_to_piece(i) for i in range(1, processor.get_piece_size())]
    assert all(allows(piece, "sentencepiece") for piece in pieces)
    theirs = [processor.encode(to_byte_text(line)[1:], out_type=str) for line in lines]

    measured = {"oracle": share_and_length(theirs)}
    for borders in BORDERS:
        table = learn_bpe(path, symbols, unit="byte", total_symbols=True, borders=borders)
        ours = [line.split(" ") for line in Segmenter(table).segment_lines(lines)]
        measured[borders] = share_and_length(ours)
    assert measured["sentencepiece"] == pytest.approx(measured["oracle"], rel=0.02)
    # The rules differ enough on this text for the comparison to mean something.
    for other in ("none", "character"):
        assert abs(measured[other][0] / measured["oracle"][0] - 1) > 0.1
