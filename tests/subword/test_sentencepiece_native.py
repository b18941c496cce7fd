"""SentencePiece BPE models in the compiled core: the same pieces as SentencePiece."""

import random
import struct

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from fairseq_subword_ext.codecs.bbpe import ByteLevelBPE
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS, to_byte_text
from fairseq_subword_ext.subword.protobuf import Fixed, encode_field
from fairseq_subword_ext.subword.sentencepiece_model import SentencePieceModel
from fairseq_subword_ext.subword.sentencepiece_trainer import train_sentencepiece_bytes

NORMAL, UNKNOWN, USER_DEFINED, UNUSED = 1, 2, 4, 5
SCRIPTS = [(0x61, 0x7A), (0x430, 0x44F), (0xD9A, 0xDC6), (0x4E00, 0x4E20), (0x10900, 0x10915)]


def made_model(pieces, model_type=2):
    """A model of (piece, score, type)."""
    trainer = encode_field(3, model_type)
    normalizer = encode_field(1, b"identity")
    content = b"".join(
        encode_field(
            1,
            encode_field(1, text.encode("utf-8"))
            + encode_field(2, Fixed(struct.pack("<f", score)))
            + encode_field(3, kind),
        )
        for text, score, kind in [("<unk>", 0.0, UNKNOWN), *pieces]
    )
    return content + encode_field(2, trainer) + encode_field(3, normalizer)


def by_the_library(model, line):
    """Segments word by word, since no piece crosses words."""
    byte_text = to_byte_text(line)
    return model.segment(byte_text) if byte_text else ""


def check(model, lines):
    assert model.native_segmenter("keep") is not None
    assert model.segment_lines(lines) == [by_the_library(model, line) for line in lines]


PIECES = st.dictionaries(
    st.text("abc▁", min_size=1, max_size=5).filter(lambda piece: "▁" not in piece[1:]),
    st.tuples(
        st.sampled_from([0.0, -1.0, -2.0, -2.0, -3.0, -4.0, -5.5, -7.0]),
        st.sampled_from([NORMAL, NORMAL, NORMAL, UNUSED]),
    ),
    min_size=1,
    max_size=30,
)


@settings(max_examples=400)
@given(PIECES, st.lists(st.text("abc ", max_size=30), min_size=1, max_size=4))
def test_any_scores_and_pieces_that_may_not_come_out(pieces, lines):
    """Unordered and equal scores, pieces that no merge makes, symbols without a piece."""
    check(SentencePieceModel(made_model([(p, *rest) for p, rest in pieces.items()])), lines)


@settings(max_examples=100)
@given(PIECES, st.sampled_from("abc▁"), st.lists(st.text("abc ", max_size=30), max_size=4))
def test_user_defined_characters_merge_with_nothing(pieces, character, lines):
    pieces[character] = (0.0, USER_DEFINED)
    check(SentencePieceModel(made_model([(p, *rest) for p, rest in pieces.items()])), lines)


@settings(max_examples=60)
@given(PIECES, st.text("abc", min_size=129, max_size=400))
def test_long_words(pieces, word):
    check(SentencePieceModel(made_model([(p, *rest) for p, rest in pieces.items()])), [word])


def test_an_overlapping_pair_of_one_piece_merges_from_the_left():
    """aba is ab+a and a+ba: in ab a ba the left pair merges first, whichever was listed first."""
    pieces = ["a", "b", "▁", "ba", "ab", "aba"]
    model = SentencePieceModel(made_model([(piece, -i, NORMAL) for i, piece in enumerate(pieces)]))
    check(model, ["abaaba", "ababa", "aabab"])


def script_lines(seed, lines=300):
    draw = random.Random(seed)
    text = []
    for _ in range(lines):
        first, last = draw.choice(SCRIPTS)
        letters = [chr(code) for code in range(first, last + 1)]
        weights = [1 / rank for rank in range(1, len(letters) + 1)]
        words = ["".join(draw.choices(letters, weights, k=draw.randint(1, 9))) for _ in range(12)]
        text.append(" ".join(words))
    return text


@pytest.mark.parametrize("symbols", [256, 300, 2000])
def test_trained_models_of_many_scripts(symbols, tmp_path):
    text = tmp_path / "text"
    text.write_text("".join(f"{line}\n" for line in script_lines(1)), encoding="utf-8")
    model = train_sentencepiece_bytes([text], tmp_path / "m", symbols)
    unseen = script_lines(2)
    hostile = ["", " ", "  a  b ", "\r", "a\tb\xa0", "▁ x", "x" * 500, "日" * 300, "</s> a</s>"]
    check(model, [*script_lines(1), *unseen, *hostile, *map("".join, zip(unseen, unseen[1:]))])


def test_markup_that_must_not_come_out():
    """The last merge of a control string is undone as in SentencePiece."""
    symbols = ["▁", *"</s>xy"]
    for made in (["</", "</s", "s>", "</s>"], ["s>", "/s>", "</", "</s>", "</s>x"]):
        for kind in (NORMAL, UNUSED):
            pieces = [(text, -i, NORMAL) for i, text in enumerate([*symbols, *made])]
            pieces = [(t, s, kind if t == "</s>" else k) for t, s, k in pieces]
            check(SentencePieceModel(made_model(pieces)), ["</s> x</s>x</s>", "</s></s>y", "</s>x"])


def test_threads_streams_and_indices_give_the_same(tmp_path):
    lines = script_lines(3, 2500)
    text = tmp_path / "text"
    text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    train_sentencepiece_bytes([text], tmp_path / "m", 600)
    codec = ByteLevelBPE(tmp_path / "m.model")
    expected = [by_the_library(codec.model, line) for line in lines]
    for workers in (1, 3):
        assert codec.encode_lines(lines, workers) == expected
    block = bytes(codec.block_coder().code(text.read_bytes(), 0)).decode("utf-8")
    assert block.splitlines() == expected
    dictionary = pytest.importorskip("fairseq.data").Dictionary()
    for token in [*BYTE_SYMBOLS, *codec.symbols[::2]]:
        dictionary.add_symbol(token)
    encoded = codec.id_encoder(dictionary).encode_block(text.read_bytes())
    for i, line in enumerate(expected):
        ids = dictionary.encode_line(line, add_if_not_exist=False).tolist()
        assert encoded.line(i).tolist() == ids


def test_other_models_stay_with_the_library():
    letters = [(letter, -i, NORMAL) for i, letter in enumerate("▁abc")]
    for pieces, model_type in [
        (letters, 1),
        ([*letters, ("ab", 0.0, USER_DEFINED)], 2),
        ([*letters, ("a▁b", -9.0, NORMAL)], 2),
        ([*letters, ("ab", float("nan"), NORMAL)], 2),
    ]:
        model = SentencePieceModel(made_model(pieces, model_type))
        assert model.native_segmenter("keep") is None
        with pytest.raises(ValueError, match="dropout"):
            model.segment_lines(["ab"], dropout=0.1)


def test_dropout_cuts_more(tmp_path):
    lines = script_lines(4)
    text = tmp_path / "text"
    text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    train_sentencepiece_bytes([text], tmp_path / "m", 600)
    codec = ByteLevelBPE(tmp_path / "m.model", dropout=0.3)
    code = codec.block_coder(seed=1).code
    cut = bytes(code(text.read_bytes(), 0)).decode("utf-8").splitlines()
    block = "".join(f"{line}\n" for line in lines[100:]).encode("utf-8")
    assert bytes(code(block, 100)).decode("utf-8").splitlines() == cut[100:]
    assert codec.decode_lines(cut) == lines
    whole = ByteLevelBPE(tmp_path / "m.model").encode_lines(lines)
    assert len(" ".join(cut)) > len(" ".join(whole))
    assert codec.encode_lines(lines) not in (cut, whole)  # draws again
    alone = ByteLevelBPE(tmp_path / "m.model", dropout=1.0)
    assert alone.encode_lines(lines) == [" ".join(to_byte_text(line)) for line in lines]
    assert alone.encode(lines[0]) == " ".join(to_byte_text(lines[0]))


def test_the_library_is_what_it_was_when_this_was_written():
    """Symbols merge in order of score, the rule that all tests above rely on."""
    content = made_model([("a", 0.0, NORMAL), ("b", 0.0, NORMAL), ("ab", -1.0, NORMAL)])
    processor = sentencepiece.SentencePieceProcessor(model_proto=content)
    assert processor.encode("▁abab", out_type=str)[-2:] == ["ab", "ab"]
