"""The reversible encodings: round trips, also through Fairseq, and compatibility with its own."""

import contextlib
import random
import re
import sys
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairseq_subword_ext
from fairseq_subword_ext.codecs.bbpe import ByteLevelBPE
from fairseq_subword_ext.codecs.byte_level import ByteLevel
from fairseq_subword_ext.codecs.char_level import CharLevel
from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.codecs.registry import ENCODINGS, FORMS, make_codec
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.escaping import is_control
from fairseq_subword_ext.subword.id_encoder import DictionaryIndices
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.sentencepiece_trainer import train_sentencepiece_bytes

SCALARS = st.characters(exclude_categories=["Cs"], exclude_characters="\n")

# Text that Fairseq's own encoders lose or fail on.
HOSTILE = [
    "",
    " ",
    "   ",
    "hello world",
    " hello",
    "hello ",
    " a  b ",
    "a\tb",
    "a\x85b",
    "a\xa0b",
    "a\u2028b",
    "a\u2029b",
    "a\u3000b",
    "a\x0bb",
    "a\x0cb",
    "\x1c",
    "a\rb",
    "\rx",
    "\x00",
    "\xa0x",
    "\u200b",
    "\ufeffBOM",
    "e\u0301 é",
    "▁",
    "a▁b ▁ ▁▁",
    "␛A0; ␛",
    "</s>",
    "a </s> b",
    "<s>hello",
    "c <pad> d",
    "<unk> <unk>",
    "<<unk>>",
    "madeupword0000 madeupword12345",
    "⁇ €  中 \ufffd",
    "10\xa0km",
    "ප්‍රේමදාස ශ්‍රී",
    "ක\u200cක",
    "👩‍👩‍👧 🇱🇰",
    "@@ a@@ b",
    "".join(chr(code) for code in range(256) if chr(code) != "\n"),
    "".join(BYTE_SYMBOLS),
    "x" * 5000,
]


# Learning from this makes whole control strings, parts of characters, and little else.
LEARNED = [
    *(f"{letter}</s> {letter}<s> {letter}<unk> {letter}<pad>" for letter in "abcdefghijk"),
    "hello world ප්‍රේ ප්‍රේ 中文 中国 madeupword0000 madeupword1",
] * 20

# Every codec; bbpe with each kind of codes, also without the compiled core.
KINDS = ("bbpe model", "bbpe codes", "bbpe codes without core", "byte_level", "char_level")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A SentencePiece model, with the codes next to it."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "text").write_text("\n".join(LEARNED), encoding="utf-8")
    train_sentencepiece_bytes([folder / "text"], folder / "m", 330)
    table = learn_bpe([folder / "text"], 330, unit="byte", total_symbols=True)
    table.save(folder / "m.codes")
    return folder / "m.model"


def make(kind, model, **options):
    if kind in ENCODINGS:
        return make_codec(kind, **options)
    if kind == "bbpe model":
        return make_codec("bbpe", model, **options)
    codes = model.with_suffix(".codes")
    if kind == "bbpe codes":
        return make_codec("bbpe", codes, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "fairseq_subword_ext._native", None)
        patch.delattr(fairseq_subword_ext, "_native", raising=False)
        return make_codec("bbpe", codes, fallback=True, **options)


@pytest.fixture(scope="module", params=KINDS)
def codec(request, model):
    return make(request.param, model)


def through_fairseq(line: str) -> str:
    """Does what fairseq-preprocess and generation do to a line: split, number, join."""
    tokens = re.sub(r"\s+", " ", line).strip().split()
    return " ".join(tokens)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_survives(codec, text):
    encoded = codec.encode(text)
    assert codec.decode(encoded) == text
    assert codec.decode(through_fairseq(encoded)) == text
    assert not any(is_control(symbol) for symbol in encoded.split(" "))
    assert encoded.split(" ") == encoded.split() or not text


def test_lists_equal_single_lines(codec):
    encoded = codec.encode_lines(HOSTILE)
    assert encoded == [codec.encode(text) for text in HOSTILE]
    assert codec.decode_lines(encoded) == HOSTILE
    assert codec.encode_lines([]) == codec.decode_lines([]) == []


# hypothesis needs one codec per example, not one fixture per test.
@pytest.mark.parametrize("kind", KINDS)
def test_any_text_survives(kind, model):
    codec = make(kind, model)

    @given(st.text(SCALARS))
    def survives(text):
        encoded = codec.encode(text)
        assert codec.decode(encoded) == text
        assert codec.decode(through_fairseq(encoded)) == text
        assert not any(is_control(symbol) for symbol in encoded.split(" "))

    @given(st.lists(st.text(SCALARS)))
    def lists_survive(lines):
        assert codec.encode_lines(lines) == [codec.encode(line) for line in lines]
        assert codec.decode_lines(codec.encode_lines(lines)) == lines

    survives()
    lists_survive()


@pytest.mark.parametrize("kind", KINDS)
def test_decoding_never_raises(kind, model):
    codec = make(kind, model)
    pieces = st.sampled_from(
        ["<unk>", "<s>", "▁", "à", "¶", "␛A0;", "␛D800;", "␛A;", "中", "ab", " ", ""]
    )

    @given(st.lists(st.one_of(st.text(max_size=3), pieces)).map(" ".join))
    def decodes(line):
        text = codec.decode(line)
        assert "\n" not in text
        assert codec.decode_lines([line, ""]) == [text, ""]

    decodes()


@pytest.mark.parametrize(
    ("symbols", "text"),
    [("a <unk> b", "ab"), ("</s> a", "a"), ("a <pad> ␛A0; <s>", "a\xa0"), ("a ␛A; b", "a b")],
)
def test_control_symbols_are_left_out_of_characters(symbols, text):
    assert CharLevel().decode(symbols) == text


@pytest.mark.parametrize("kind", KINDS)
def test_text_that_cannot_round_trip_is_named_or_replaced(kind, model):
    codec = make(kind, model)
    with pytest.raises(ValueError, match=r"character 7: .*lone surrogate U\+D800"):
        codec.encode("hello \ud800 world")
    with pytest.raises(ValueError, match=r"line 2, character 2: .*newline"):
        codec.encode_lines(["a", "b\nc"])
    codec = make(kind, model, errors="replace")
    assert codec.decode(codec.encode("a\ud800b\nc")) == "a\ufffdb c"
    assert codec.decode_lines(codec.encode_lines(["\udfff", "b\nc"])) == ["\ufffd", "b c"]


def test_codes_with_and_without_the_core_give_the_same(model):
    learned = {left + right for left, right in MergeTable.load(model.with_suffix(".codes"))}
    assert {"</s>", "<s>"} & learned, "nothing to undo"
    lines = [*HOSTILE, *LEARNED[:30], "zz</s> hello madeupword0000 x"]
    with_core = make("bbpe codes", model).encode_lines(lines)
    assert with_core == make("bbpe codes without core", model).encode_lines(lines)
    assert (
        with_core == make("bbpe codes", model).encode_lines(lines * 50, num_workers=3)[: len(lines)]
    )


def test_codes_without_the_core_need_the_fallback_option(model, caplog):
    codes = model.with_suffix(".codes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "fairseq_subword_ext._native", None)
        patch.delattr(fairseq_subword_ext, "_native", raising=False)
        with pytest.raises(ImportError, match="pip install -e"):
            make_codec("bbpe", codes)
        make_codec("bbpe", codes, fallback=True)
    assert len(caplog.records) == 1


def test_symbols_are_all_that_is_produced(model):
    for codes in (model, model.with_suffix(".codes")):
        codec = ByteLevelBPE(codes)
        assert {*BYTE_SYMBOLS} <= {*codec.symbols}
        assert not any(map(is_control, codec.symbols))
        emitted = {s for line in codec.encode_lines([*HOSTILE, *LEARNED]) for s in line.split(" ")}
        assert emitted - {""} <= {*codec.symbols}


@given(st.one_of(st.binary(max_size=60), st.binary(max_size=60).map(b"#version: byte-1\n".__add__)))
def test_any_bytes_are_codes_or_a_value_error(content):
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        with contextlib.suppress(ValueError):
            codec = ByteLevelBPE(file.name)
            assert codec.decode(codec.encode("a </s> é")) == "a </s> é"


def test_character_codes_are_rejected(tmp_path):
    (tmp_path / "codes").write_text("#version: 0.2\na b\n")
    with pytest.raises(ValueError, match=r"codes:1: found codes of characters \(version 0\.2\)"):
        ByteLevelBPE(tmp_path / "codes")


def test_examples():
    assert ByteLevel().encode("hi ñ") == "▁ h i ▁ Ã ±"
    assert CharLevel().encode("hi ñ\xa0▁␛") == "h i ▁ ñ ␛A0; ␛2581; ␛241B;"


def test_every_unicode_space_is_escaped_in_characters():
    spaces = [
        chr(code) for code in range(0x110000) if chr(code).isspace() and chr(code) not in " \n"
    ]
    for space in spaces:
        assert CharLevel().encode(space) == f"␛{ord(space):X};"
    assert CharLevel().decode(" ".join(map(CharLevel().encode, spaces))) == "".join(spaces)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"encoder": "bytes"}, "must be one of byte_level, bbpe, generalized_bpe, char_level, not"),
        ({"encoder": "bbpe"}, "bbpe needs codes FILE: byte-level codes"),
        ({"encoder": "byte_level", "codes": "x"}, "byte_level does not take codes"),
        ({"encoder": "byte_level", "compat": "subword-nmt"}, "no compat subword-nmt, only fairseq"),
        ({"encoder": "char_level", "errors": "ignore"}, "strict, replace"),
        (
            {"encoder": "generalized_bpe", "codes": "x", "vocabulary_threshold": 2},
            "needs vocabulary",
        ),
    ],
)
def test_wrong_options_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_codec(**arguments)


class TestFairseqCompatibility:
    """The same symbols and text as Fairseq's classes, wherever these produce any."""

    ENCODED = [*HOSTILE, "a\nb", "\r\nx", "\n"]

    @pytest.fixture(params=FORMS["fairseq"])
    def pair(self, request, model):
        encoders = pytest.importorskip("fairseq.data.encoders")
        theirs = {
            "bbpe": lambda: encoders.byte_bpe.ByteBPE(
                encoders.byte_bpe.ByteBpeConfig(sentencepiece_model_path=str(model))
            ),
            "byte_level": lambda: encoders.bytes.Bytes(),
            "char_level": lambda: encoders.characters.Characters(),
        }[request.param]()
        codes = model if request.param == "bbpe" else None
        return make_codec(request.param, codes, compat="fairseq"), theirs

    def test_encode(self, pair):
        ours, theirs = pair
        for text in self.ENCODED:
            assert ours.encode(text) == theirs.encode(text)
        generator = random.Random(3)
        for _ in range(2000):
            text = "".join(
                chr(
                    generator.choice(
                        (9, 32, 65, 0xA0, 0xE9, 0x2581, 0xD9A, generator.randrange(0xD800))
                    )
                )
                for _ in range(generator.randrange(12))
            )
            assert ours.encode(text) == theirs.encode(text)

    def test_decode(self, pair):
        ours, theirs = pair
        for text in self.ENCODED:
            assert ours.decode(theirs.encode(text)) == theirs.decode(theirs.encode(text))
        generator = random.Random(4)
        alphabet = [*BYTE_SYMBOLS, *"abà¶Ɯ", "<unk>"]
        for _ in range(5000):
            line = " ".join(generator.choices(alphabet, k=generator.randrange(12)))
            assert ours.decode(line) == theirs.decode(line)

    def test_what_fairseq_raises_on_does_not_raise(self, pair):
        ours, _ = pair
        for line in ("\xa0", "\xad", "€", "ȷ", "中", "⁇", "a\nb"):
            ours.decode(line)

    def test_a_lone_surrogate(self, pair, model):
        ours, theirs = pair
        if type(theirs).__name__ == "Characters":
            assert ours.encode("\ud800") == theirs.encode("\ud800")
            return
        with pytest.raises(ValueError, match=r"character 1: .*U\+D800"):
            ours.encode("\ud800")


@pytest.mark.parametrize("encoder", ["byte_level", "char_level"])
@pytest.mark.parametrize("carriage_return", ["error", "replace"])
def test_the_core_encodes_blocks_like_python_encodes_lines(encoder, carriage_return):
    codec = make_codec(encoder)
    native = codec.block_coder(carriage_return, "text")
    python = Codec.block_coder(codec, carriage_return, "text")
    generator = random.Random(1)
    alphabet = ["a", "é", " ", "  ", "▁", "␛", "␛A0;", "\xa0", "\u2028", "\u3000", "\t", "\0", "ක්‍", "中",
                "😀", "</s>", "\u1680", "\x85", "\u2580", "\u2582", "\ufeff"]  # fmt: skip
    for number in range(300):
        some = alphabet + ["\n"] * 4 + ["\r\n"] + ["\r"] * (number % 3 == 0)
        block = "".join(generator.choices(some, k=generator.randrange(40))).encode()
        if (
            number % 3 == 1
        ):  # only one kind of error: with two, each coder may find a different one first
            block = block[:3] + generator.choice([b"\xff", b"\xc3", b"\xed\xa0\x80"]) + block[3:]
        found = []
        for coder in (native, python):
            try:
                found.append(bytes(coder.code(block, 6)))
            except ValueError as error:
                found.append(int(re.search(r"(?:line |text:)([0-9]+)", str(error))[1]))
            found.append(coder.count_lines(block) if block else 0)
        assert found[:2] == found[2:], block


@pytest.mark.parametrize(
    ("name", "codes", "options"),
    [
        ("generalized_bpe", "char", {}),
        ("generalized_bpe", "char", {"compat": "subword-nmt"}),
        ("generalized_bpe", "char", {"vocabulary": True, "glossaries": ("ell",)}),
        ("generalized_bpe", "byte", {}),
        ("bbpe", "byte", {}),
        ("byte_level", None, {}),
        ("char_level", None, {}),
        ("byte_level", None, {"compat": "fairseq"}),
    ],
)
def test_indices_are_those_of_the_symbols(name, codes, options, tmp_path):
    if codes:
        learn_bpe({"hello": 3, "world": 2, "\xa0x": 2}, 12, unit=codes).save(tmp_path / "codes")
        options = {**options, "codes": tmp_path / "codes"}
    if options.get("vocabulary"):
        (tmp_path / "vocabulary").write_text("h@@ 3\nell@@ 2\no 2\n", encoding="utf-8")
        options = {**options, "vocabulary": tmp_path / "vocabulary"}
    codec = make_codec(name, **options)
    lines = [line for line in HOSTILE if "\r" not in line]
    symbols = [symbol for line in codec.encode_lines(lines) for symbol in line.split()]
    known = sorted(set(symbols))[::2]  # every other one is <unk>
    dictionary = DictionaryIndices({"</s>": 2, **{s: i for i, s in enumerate(known, 4)}})
    encoder = codec.id_encoder(dictionary)
    expected = [
        [*(dictionary.indices.get(symbol, 3) for symbol in line.split()), 2]
        for line in codec.encode_lines(lines)
    ]
    block = "".join(f"{line}\n" for line in lines).encode("utf-8")
    for encoded in (encoder.encode_lines(lines, 2), encoder.encode_block(block)):
        assert [encoded.line(i).tolist() for i in range(len(encoded))] == expected


@pytest.mark.parametrize("name", ["generalized_bpe", "bbpe"])
def test_indices_of_a_codec_with_dropout_are_drawn(name, tmp_path):
    learn_bpe({"hello": 3, "world": 2}, 12, unit="byte").save(tmp_path / "codes")
    codec = make_codec(name, tmp_path / "codes", dropout=0.5)
    dictionary = DictionaryIndices({symbol: i for i, symbol in enumerate(codec.fixed_symbols, 4)})
    encoder = codec.id_encoder(dictionary, append_eos=False)
    block = b"hello world hello\n" * 40
    text = bytes(codec.block_coder(seed=7).code(block, 0)).decode("utf-8")
    expected = [dictionary.indices[symbol] for symbol in text.split()]
    assert encoder.encode_block(block, seed=7).ids.tolist() == expected
    assert len(expected) > len(encoder.encode_block(block, dropout=0.0).ids)
