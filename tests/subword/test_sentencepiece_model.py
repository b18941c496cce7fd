"""SentencePiece models of byte text: ours, those of Fairseq's example, and files that are not models."""

import contextlib
import io
import logging
import random

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from fairseq_subword_ext.codecs.bbpe import ByteLevelBPE
from fairseq_subword_ext.subword.byte_dictionary import write_byte_dictionary
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS, bytes_to_symbols, to_byte_text
from fairseq_subword_ext.subword.escaping import is_control
from fairseq_subword_ext.subword.protobuf import Fixed, encode_field, read_fields
from fairseq_subword_ext.subword.sentencepiece_model import (
    SentencePieceModel,
    is_sentencepiece_model,
)
from fairseq_subword_ext.subword.sentencepiece_trainer import train_sentencepiece_bytes

LINES = ["hello world", "ප්‍රේමදාස ශ්‍රී", "中文 中国", "²³ µ ¼ ª", "a  b", "low lower 日本 日"] * 20
MARKUP = [
    "a</s> b</s> c</s> d</s>",
    "a<s> b<s> c<s> d<s>",
    "x<unk> y<unk> z<unk>",
    "<pad>q<pad>",
] * 30


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def train_plainly(lines, **options) -> bytes:
    """A model as trained by other tools: SentencePiece's defaults except for ``options``."""
    content = io.BytesIO()
    settings = {
        "model_type": "bpe",
        "vocab_size": 90,
        "character_coverage": 1.0,
        "hard_vocab_limit": False,
        "minloglevel": 2,
        **options,
    }
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=content, **settings
    )
    return content.getvalue()


def fairseq_byte_text(lines):
    """The training text of fairseq's example: byte text with plain spaces."""
    return [bytes_to_symbols(line.encode("utf-8")).replace("▁", " ") for line in lines]


def fairseq_model(lines=LINES, **options) -> bytes:
    return train_plainly(
        fairseq_byte_text(lines), **{"normalization_rule_name": "identity", **options}
    )


def check_round_trip(model: SentencePieceModel, lines):
    for line in lines:
        byte_text = to_byte_text(line)
        if byte_text:
            pieces = model.segment(byte_text).split(" ")
            assert "".join(pieces) == byte_text
            assert not any(is_control(piece) for piece in pieces)


HOSTILE = [
    *LINES[:6],
    *MARKUP[:4],
    " a  b ",
    "   ",
    "a\tb\xa0c\u3000d",
    "".join(map(chr, range(1, 256))).replace("\n", ""),
    "</s> <s> <unk> <pad> a</s> </s>b <s></s>",
    "x" * 6000,
    "日" * 3000,
]


@pytest.mark.parametrize("total", [256, 257, 300, 1000])
def test_a_trained_model_has_all_bytes_and_the_requested_size(total, tmp_path):
    generator = random.Random(1)
    words = ["".join(generator.choices("abcdeක日é", k=4)) for _ in range(2000)]
    text = write(tmp_path / "text", [" ".join(words[i : i + 10]) for i in range(0, 2000, 10)])
    model = train_sentencepiece_bytes([text], tmp_path / "m", total)
    assert model.missing == []
    assert set(BYTE_SYMBOLS) <= set(model.pieces)
    assert len(model.pieces) == len(set(model.pieces)) == total
    check_round_trip(model, HOSTILE)
    if total == 256:
        assert model.segment("▁ab▁") == "▁ a b ▁"


def test_merges_are_learned_within_words_only_and_across_scripts(tmp_path):
    text = write(tmp_path / "text", ["ab1日 ab1日 x"] * 50)
    model = train_sentencepiece_bytes([text], tmp_path / "m", 400)
    assert model.segment(to_byte_text("ab1日 ab1日")) == "▁ab1æƗ¥ ▁ab1æƗ¥"
    assert not any("▁" in piece[1:] for piece in model.pieces)


def test_several_files_are_one_corpus_and_crlf_is_accepted(tmp_path):
    one = write(tmp_path / "one", ["hello"] * 5)
    two = tmp_path / "two"
    two.write_bytes(b"world\r\n" * 5)
    model = train_sentencepiece_bytes([one, two], tmp_path / "m", 300)
    assert model.segment("▁hello▁world") == "▁hello ▁world"


def test_a_missing_suffix_is_added(tmp_path):
    text = write(tmp_path / "text", LINES)
    for name in ("a", "b.model", "c.d"):
        train_sentencepiece_bytes([text], tmp_path / name, 300)
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["a.model", "b.model", "c.d.model", "text"]


def test_training_twice_gives_the_same_model(tmp_path):
    text = write(tmp_path / "text", LINES)
    for name in "ab":
        train_sentencepiece_bytes([text], tmp_path / name, 300)
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()


def test_fewer_merges_than_requested_are_reported(tmp_path, caplog):
    text = write(tmp_path / "text", ["ab"] * 10)
    with caplog.at_level(logging.WARNING):
        model = train_sentencepiece_bytes([text], tmp_path / "m", 5000)
    assert len(model.pieces) < 300
    assert "5000 symbols requested, but the text gave" in caplog.text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "found no text"),
        (b"\n\r\n\n", "found no text"),
        (b" \n   \n", "found no text"),
        (b"ok\na\rb\n", r"text:2: found a carriage return inside the line"),
        (b"ok\nok\n\xff\xfe\n", r"text:3: byte 1 of the line \(0xFF\) is not UTF-8"),
        (b"\xed\xa0\x80\n", r"text:1: byte 1 of the line \(0xED\) is not UTF-8"),
    ],
)
def test_invalid_text_is_named(content, message, tmp_path):
    text = tmp_path / "text"
    text.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        train_sentencepiece_bytes([text], tmp_path / "m", 300)
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_invalid_settings_are_named(tmp_path):
    text = write(tmp_path / "text", LINES)
    with pytest.raises(ValueError, match="at least 256, one per byte, found 255"):
        train_sentencepiece_bytes([text], tmp_path / "m", 255)
    with pytest.raises(ValueError, match="bpe, unigram, not 'word'"):
        train_sentencepiece_bytes([text], tmp_path / "m", 300, model_type="word")
    with pytest.raises(ValueError, match="no files: found no text"):
        train_sentencepiece_bytes([], tmp_path / "m", 300)
    with pytest.raises(ValueError, match="give files, not '-'"):
        train_sentencepiece_bytes(["-"], tmp_path / "m", 300)
    with pytest.raises(OSError, match="nowhere"):
        train_sentencepiece_bytes([tmp_path / "nowhere"], tmp_path / "m", 300)


def test_learned_control_symbols_are_never_produced():
    content = train_plainly(
        fairseq_byte_text(MARKUP),
        vocab_size=60,
        bos_id=-1,
        eos_id=-1,
        unk_piece="⁇",
        split_by_unicode_script=False,
        normalization_rule_name="identity",
    )
    raw = sentencepiece.SentencePieceProcessor(model_proto=content)
    spelled = [piece for piece in map(raw.id_to_piece, range(len(raw))) if is_control(piece)]
    assert spelled
    unseen = [f"zz{piece} zz" for piece in spelled]
    assert any(is_control(piece) for line in unseen for piece in raw.encode(line, out_type=str))
    check_round_trip(SentencePieceModel(content), [*HOSTILE, *unseen])


def test_a_model_of_fairseqs_example_is_lossless_and_names_missing_bytes(caplog):
    with caplog.at_level(logging.WARNING):
        model = SentencePieceModel(fairseq_model(), "spm.model")
    expected = set(range(256)) - set("".join(LINES).encode("utf-8"))
    assert set(model.missing) == expected
    assert (
        f"spm.model has no piece for {len(expected)} of the 256 bytes (0x00, 0x01," in caplog.text
    )
    assert "<unk>" in caplog.text
    check_round_trip(model, HOSTILE)
    # Missing bytes are single symbols; everything else is segmented as by fairseq.
    assert model.segment("▁lower") == "▁lower"
    assert model.segment("▁QQ</s>") == "▁ Q Q < / s >"


@pytest.mark.parametrize(
    "options",
    [
        {"normalization_rule_name": "nmt_nfkc"},
        {"normalization_rule_name": "nmt_nfkc_cf"},
        {"model_type": "unigram", "vocab_size": 60},
        {"model_type": "char"},
        {"split_by_whitespace": False, "vocab_size": 150},
        {"treat_whitespace_as_suffix": True},
        {"byte_fallback": True, "vocab_size": 400},
        {"user_defined_symbols": ["<sep>", "lo"]},
        {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
    ],
    ids=str,
)
def test_models_of_every_kind_are_lossless(options):
    check_round_trip(SentencePieceModel(fairseq_model(**options)), HOSTILE)


def test_segmentation_equals_sentencepieces_own_if_that_is_lossless():
    content = fairseq_model(add_dummy_prefix=True)
    raw = sentencepiece.SentencePieceProcessor(model_proto=content)
    model = SentencePieceModel(content)
    generator = random.Random(5)
    words = " ".join(LINES).split()
    for _ in range(300):
        line = " ".join(generator.choices(words, k=5))
        assert model.segment(to_byte_text(line)).split(" ") == raw.encode(
            fairseq_byte_text([line])[0], out_type=str
        )


def test_the_cache_is_bounded_and_changes_nothing(monkeypatch):
    from fairseq_subword_ext.subword import sentencepiece_model

    content = fairseq_model()
    expected = [SentencePieceModel(content).segment(to_byte_text(line)) for line in LINES]
    monkeypatch.setattr(sentencepiece_model, "CACHED_WORDS", 3)
    model = SentencePieceModel(content)
    assert [model.segment(to_byte_text(line)) for line in LINES] == expected
    assert len(model._cache) <= 3
    model.segment("▁" + "x" * 100_000)
    assert max(map(len, model._cache)) < 100


def test_a_model_of_plain_text_is_rejected():
    content = train_plainly(LINES)
    with pytest.raises(ValueError, match=r"m\.model: found the character .* trained on plain text"):
        SentencePieceModel(content, "m.model")


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"#version: byte-1\na b\n", b"\n\x00", b"hello 5\n", b"\xff" * 40]
)
def test_other_files_are_rejected(content):
    assert not is_sentencepiece_model(content)
    with pytest.raises(ValueError, match="x: expected a SentencePiece model"):
        SentencePieceModel(content, "x")


def test_damaged_models_never_crash():
    content = fairseq_model()
    generator = random.Random(6)
    refused = 0
    for _ in range(300):
        damaged = bytearray(content[: generator.randrange(len(content) + 1)])
        for _ in range(generator.randrange(3)):
            if damaged:
                damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        try:
            SentencePieceModel(bytes(damaged)).segment("▁hello")
        except ValueError:
            refused += 1
    assert refused > 100


def test_files_are_distinguished_by_content(tmp_path):
    path = tmp_path / "any.name"
    path.write_bytes(fairseq_model())
    assert is_sentencepiece_model(path.read_bytes())
    assert ByteLevelBPE(path).encode("lower") == "▁lower"


def test_the_dictionary_is_complete_by_construction(tmp_path):
    count = write_byte_dictionary(tmp_path / "dict.txt", ["▁lower", "lo"], {"lo": 7, "▁": 3})
    entries = [
        line.rsplit(" ", 1) for line in (tmp_path / "dict.txt").read_text("utf-8").split("\n")
    ]
    symbols = [symbol for symbol, *_ in entries[:-1]]
    assert entries[:2] == [["lo", "7"], ["▁", "3"]]
    assert {*symbols} == {*BYTE_SYMBOLS, "lo", "▁lower"}
    assert count == len(symbols) == 258

    dictionary = pytest.importorskip("fairseq.data").Dictionary.load(str(tmp_path / "dict.txt"))
    assert len(dictionary) == 4 + 258
    assert all(dictionary.index(symbol) != dictionary.unk() for symbol in BYTE_SYMBOLS)


FIELDS = st.lists(
    st.tuples(
        st.integers(1, 5000),
        st.one_of(
            st.integers(0, 2**63),
            st.binary(max_size=200),
            st.binary(min_size=4, max_size=4).map(Fixed),
            st.binary(min_size=8, max_size=8).map(Fixed),
        ),
    )
)


@given(FIELDS)
def test_protocol_buffer_fields_round_trip(fields):
    message = b"".join(encode_field(number, value) for number, value in fields)
    assert [(n, type(v), v) for n, v in read_fields(message)] == [
        (n, type(v), v) for n, v in fields
    ]


@given(st.binary())
def test_any_bytes_are_fields_or_a_value_error(message):
    with contextlib.suppress(ValueError):
        fields = list(read_fields(message))
        again = b"".join(encode_field(*field) for field in fields)
        assert list(read_fields(again)) == fields
