"""Codes, their metadata and SentencePiece models from untrusted sources: read, or refused in one line."""

import hashlib
import io
import json
import time

import pytest
from damaged_files import damaged, json_values
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairseq_subword_ext.subword.byte_text import SPACE_SYMBOL, to_byte_text
from fairseq_subword_ext.subword.codes_file import parse_codes
from fairseq_subword_ext.subword.dictionary import producible_tokens
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.merge_table import MergeTable, metadata_path_of
from fairseq_subword_ext.subword.protobuf import encode_field, read_fields
from fairseq_subword_ext.subword.sentencepiece_model import SentencePieceModel
from fairseq_subword_ext.subword.vocabulary import Vocabulary

LEARNED = learn_bpe(io.BytesIO(b"low lower lowest newer wider\n" * 3), 12)
CODES = LEARNED.to_text().encode("utf-8")
METADATA_KEYS = st.sampled_from(sorted([*LEARNED.metadata, "dlg_counts", "borders"]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("untrusted")


@pytest.fixture(scope="module")
def model():
    """A SentencePiece model of byte text, with a piece of two bytes."""
    sentencepiece = pytest.importorskip("sentencepiece")
    lines = [to_byte_text(f"{a}{b} {b}{a}") for a in "abcdefgh" for b in "abcdefgh"]
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=written, model_type="bpe", vocab_size=40, minloglevel=2,
        normalization_rule_name="identity", add_dummy_prefix=False, user_defined_symbols=[SPACE_SYMBOL],
    )  # fmt: skip
    return written.getvalue()


@settings(max_examples=100)
@given(damaged(CODES))
def test_damaged_codes(data):
    try:
        version, merges = parse_codes(data, "codes")
    except ValueError as error:
        assert str(error).startswith("codes") and "\n" not in str(error)
    else:
        assert all(left and right for left, right in merges) and version


def test_many_lines_that_look_like_headers_take_no_quadratic_time():
    junk = [f"x{number} y" for number in range(20_000)]
    lines = ["#version: 0.2", *junk, "#version :", *["#version: x"] * 20_000]
    start = time.process_time()
    _, merges = parse_codes("\n".join(lines).encode(), "codes")
    assert len(merges) == 40_001
    assert time.process_time() - start < 5  # 40 s if every line searches all merges


@settings(max_examples=100)
@given(st.dictionaries(METADATA_KEYS, json_values, max_size=3))
@example({"corpus_sha256": 7})
@example({"package_version": ["x"]})
@example({"alphabet": {"a": True}})
def test_any_metadata_is_used_or_refused(folder, changes):
    path = folder / "codes"
    LEARNED.save(path)
    metadata = json.loads(metadata_path_of(path).read_text("utf-8"))
    metadata_path_of(path).write_text(json.dumps({**metadata, **changes}), "utf-8")
    try:
        table = MergeTable.load(path)
    except ValueError as error:
        assert "\n" not in str(error) and str(metadata_path_of(path)) in str(error)
        return
    assert "\n" not in table.signature()
    if table.alphabet is not None:
        assert len(producible_tokens(table)) >= len(table.alphabet) - 1 or not table.alphabet


@settings(max_examples=100)
@given(data=st.data())
def test_damaged_metadata(folder, data):
    path = folder / "damaged"
    LEARNED.save(path)
    beside = metadata_path_of(path)
    beside.write_bytes(data.draw(damaged(beside.read_bytes())))
    assert hashlib.sha256(path.read_bytes()).hexdigest()  # the codes themselves are intact
    try:
        MergeTable.load(path).signature()
    except ValueError as error:
        assert "\n" not in str(error) and str(beside) in str(error)


@settings(max_examples=100)
@given(damaged(b"low@@ 12\ner 9\nest 3\n"))
def test_damaged_vocabularies(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "vocabulary"
    path.write_bytes(data)
    try:
        vocabulary = Vocabulary.load(path)
    except ValueError as error:
        assert str(error).startswith(str(path)) and "\n" not in str(error)
    else:
        assert all(0 <= count < 10**18 for count in vocabulary.counts.values())


@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_or_refused(message):
    try:
        fields = list(read_fields(message))
    except ValueError as error:
        assert str(error).startswith("byte ")
        return
    assert list(read_fields(b"".join(encode_field(*field) for field in fields))) == fields


@settings(max_examples=150)
@given(data=st.data())
def test_damaged_sentencepiece_models(model, data):
    content = data.draw(damaged(model))
    try:
        loaded = SentencePieceModel(content, "a.model")
    except ValueError as error:
        assert str(error).startswith("a.model: ") and "\n" not in str(error)
        return
    line = "abc hg \u0d9a"
    assert loaded.segment_line(line).replace(" ", "") == to_byte_text(line)


@pytest.mark.parametrize(
    "piece",
    [
        b"",
        encode_field(3, 1),
        encode_field(1, 5),
        encode_field(1, b"\xff\xfe"),
        encode_field(1, b"a") + encode_field(3, b"x"),
        7,
    ],
)
def test_a_sentencepiece_model_with_a_broken_piece(model, piece):
    with pytest.raises(ValueError, match=r"^a\.model: found a broken SentencePiece model"):
        SentencePieceModel(model + encode_field(1, piece), "a.model")


def test_the_model_itself_is_whole(model):
    assert {SPACE_SYMBOL, "a"} <= set(SentencePieceModel(model).pieces)
    assert SentencePieceModel(model).segment_line("ab").replace(" ", "") == to_byte_text("ab")
