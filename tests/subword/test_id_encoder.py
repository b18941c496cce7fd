"""Dictionary indices: the output of apply-bpe, looked up in Fairseq's own dictionary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairseq_subword_ext.subword import segmenter as segmenter_module
from fairseq_subword_ext.subword.fallback import ReferenceSegmenter
from fairseq_subword_ext.subword.id_encoder import DictionaryIndices
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter

WORDS = {"newest": 6, "widest": 3, "lower": 2, "中文中文": 4, "</s></s>": 3, "a\xa0b": 3, "@@@": 2}
LINES = [
    "lower newest 中文 widest",
    "",
    "  spaces  at the ends ",
    "</s> <s> <unk> <pad> x</s> </s>x madeupword0000 madeupword",
    "a\xa0b a\u3000b \u2028 ␛ a@@ @@",
    "unseen 日本語 😀 ▁ Ã",
    "newest\r",
]


def codes(unit, version=None):
    return learn_bpe(WORDS, 20, unit=unit, **({"version": version} if version else {}))


def fairseq_dictionary(tokens):
    data = pytest.importorskip("fairseq.data")
    dictionary = data.Dictionary()
    for token in tokens:
        dictionary.add_symbol(token)
    return dictionary


def expected(segmenter, dictionary, lines, append_eos=True, **options):
    """Looks up the segmented text in the dictionary."""
    return [
        dictionary.encode_line(line, add_if_not_exist=False, append_eos=append_eos).tolist()
        for line in segmenter.segment_lines(lines, **options)
    ]


def as_lists(encoded):
    return [encoded.line(i).tolist() for i in range(len(encoded))]


def some_tokens(segmenter, lines, share=2):
    tokens = sorted({token for line in segmenter.segment_lines(lines) for token in line.split()})
    return [*tokens[::share], "<unk>@@", "@@"]


OPTIONS = [
    {},
    {"compat": "subword-nmt"},
    {"separator": "￭"},
    {"separator": "\u2009", "compat": "subword-nmt"},
    {"glossaries": ["est", "文"]},
    {"vocabulary": {"low@@", "e@@", "r", "new@@", "est", "中@@"}},
    {"unknown": "unk"},
    {"escape": False},
    {"carriage_return": "keep"},
    {"merges": 3},
]


@pytest.mark.parametrize("options", OPTIONS, ids="-".join)
@pytest.mark.parametrize("kind", ["0.1", "0.2", "byte"])
def test_indices_are_those_of_the_printed_text(kind, options):
    if kind == "byte" and "glossaries" in options:
        pytest.skip("glossaries go with characters")
    table = codes("byte") if kind == "byte" else codes("char", kind)
    if kind == "byte" and "vocabulary" in options:
        options = {"vocabulary": {"▁low", "▁new", "est", "▁"}}
    segmenter = Segmenter(table, **options)
    dictionary = fairseq_dictionary(some_tokens(segmenter, LINES))
    for dropout in (0.0, 0.4, 1.0):
        drawn = {"dropout": dropout, "seed": 3}
        lists = expected(segmenter, dictionary, LINES, **drawn)
        assert as_lists(segmenter.encode_ids(LINES, dictionary, **drawn)) == lists
        block = "".join(f"{line}\n" for line in LINES).encode("utf-8")
        encoder = segmenter.id_encoder(dictionary)
        assert as_lists(encoder.encode_block(block, **drawn)) == lists
        assert as_lists(encoder.encode_block(block[:-1], **drawn)) == lists
        again = encoder.encode_block(block, first_line=0, **drawn)
        assert as_lists(again) == lists  # now from the cache of words
    without = segmenter.encode_ids(LINES, dictionary, append_eos=False)
    assert as_lists(without) == expected(segmenter, dictionary, LINES, append_eos=False)
    assert without.ids.dtype == np.int32
    assert without.offsets.dtype == np.int64


MERGES = st.lists(
    st.tuples(
        st.text("abc</w>", min_size=1, max_size=4),
        st.sampled_from(["", "</w>"]),
        st.text("abc</w>", min_size=1, max_size=4),
    ),
    max_size=25,
)


@settings(max_examples=200)
@given(
    MERGES,
    st.sampled_from(["0.1", "0.2", "byte-1"]),
    st.lists(st.text("abc</w> \xa0", max_size=30), max_size=4),
    st.sampled_from([None, "subword-nmt"]),
    st.one_of(st.none(), st.sets(st.text("abc<", min_size=1, max_size=3), max_size=9)),
)
def test_indices_of_any_table(drawn, version, lines, compat, vocabulary):
    merges = [(left, right + marker) for left, marker, right in drawn]
    merges += [("a", "</w>"), ("ab", "</w>")] if version == "0.1" else []
    table = MergeTable(merges, "byte" if version == "byte-1" else "char", version)
    segmenter = Segmenter(table, compat=compat, vocabulary=vocabulary)
    tokens = some_tokens(segmenter, lines, 1)
    dictionary = fairseq_dictionary([*tokens[::3], *tokens[1::3]])
    found = as_lists(segmenter.encode_ids(lines, dictionary))
    assert found == expected(segmenter, dictionary, lines)


def test_threads_and_parts_change_nothing():
    segmenter = Segmenter(codes("char"))
    lines = [f"{LINES[i % 6]} {i}" for i in range(5000)]
    dictionary = fairseq_dictionary(some_tokens(segmenter, lines[:100]))
    encoder = segmenter.id_encoder(dictionary)
    whole = encoder.encode_lines(lines, dropout=0.3, seed=5)
    for workers in (2, 7):
        again = encoder.encode_lines(lines, workers, dropout=0.3, seed=5)
        assert np.array_equal(again.ids, whole.ids)
        assert np.array_equal(again.offsets, whole.offsets)
    block = "\n".join(lines[3000:]).encode("utf-8")
    part = encoder.encode_block(block, first_line=3000, dropout=0.3, seed=5)
    assert np.array_equal(part.ids, whole.ids[whole.offsets[3000] :])


def test_the_fallback_gives_the_same(monkeypatch):
    for unit in ("char", "byte"):
        native = Segmenter(codes(unit))
        dictionary = fairseq_dictionary(some_tokens(native, LINES))
        monkeypatch.setattr(segmenter_module, "_core", lambda fallback: ReferenceSegmenter)
        readable = Segmenter(codes(unit), fallback=True)
        monkeypatch.undo()
        for encoder in (readable.id_encoder(dictionary), native.id_encoder(dictionary)):
            assert as_lists(encoder.encode_lines(LINES)) == expected(native, dictionary, LINES)
            block = "\n".join(LINES).encode("utf-8")
            assert as_lists(encoder.encode_block(block)) == expected(native, dictionary, LINES)


def test_errors_name_the_line_as_data():
    encoder = Segmenter(codes("char")).id_encoder(DictionaryIndices({}))
    with pytest.raises(ValueError, match=r"line 12: .*carriage return") as error:
        encoder.encode_block(b"a\nb\rc\n", first_line=10)
    assert error.value.line == 12
    assert error.value.problem.startswith("found a carriage return")
    with pytest.raises(ValueError, match=r"line 1: byte 2 of the line \(0xFF\)") as error:
        encoder.encode_block(b"a\xff")
    assert error.value.line == 1
    with pytest.raises(ValueError, match=r"line 2: character 2 .*D800") as error:
        encoder.encode_lines(["a", "a\ud800"])
    assert error.value.line == 2


def test_a_dictionary_is_read_as_fairseq_reads_it(tmp_path):
    data = pytest.importorskip("fairseq.data")
    path = tmp_path / "dict.txt"
    path.write_text("a 5\n▁b 3\n<unk> 7 #fairseq:overwrite\nmadeupword0000 0\n", encoding="utf-8")
    theirs = data.Dictionary.load(str(path))
    ours = DictionaryIndices.load(path)
    assert ours.indices == theirs.indices
    assert (ours.unk_index, ours.eos_index) == (theirs.unk_index, theirs.eos_index)
    for content, message in [("a\n", "dict.txt:1"), ("a 1\na 2\n", "dict.txt:2"), ("a x\n", "1: ")]:
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            DictionaryIndices.load(path)
