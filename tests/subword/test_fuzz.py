"""Random bytes as codes, vocabularies and text: no crash, no hang, no error but ValueError."""

import io

from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.subword.escaping import join_pieces
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.vocabulary import Vocabulary

# Bytes that the formats treat specially are more frequent.
BYTES = st.lists(
    st.one_of(
        st.sampled_from([b" ", b"\n", b"\r", b"@@", b"</w>", b"#version: 0.2\n", b"a b\n", b"a 3\n", b"\xe2\x80\xa8"]),
        st.binary(min_size=1, max_size=3),
        st.sampled_from([b"a", b"b", b"1"]),
    ),
    max_size=40,
).map(b"".join)  # fmt: skip


@settings(max_examples=300, deadline=2000)
@given(BYTES, st.booleans(), st.sampled_from(["error", "replace"]))
def test_any_text_is_learned_from_or_refused(data, dict_input, carriage_return):
    try:
        table = learn_bpe(
            io.BytesIO(data), 30, dict_input=dict_input, carriage_return=carriage_return
        )
    except ValueError as error:
        assert str(error)
        return
    assert all(left and right for left, right in table)


@settings(max_examples=300, deadline=2000)
@given(BYTES, BYTES)
@example(b"#version: 0.2\na b\na b\n", b"ab ab")
def test_any_codes_and_text_are_segmented_or_refused(codes, text):
    try:
        table = MergeTable.parse(codes)
        segmenter = Segmenter(table)
    except ValueError as error:
        assert str(error)
        return
    output = io.BytesIO()
    try:
        segmenter.segment_stream(io.BytesIO(text), output, num_workers=2)
    except ValueError as error:
        assert str(error)
        return
    assert output.getvalue().count(b"\n") == text.count(b"\n")
    if table.unit == "char":
        lines = zip(text.decode().split("\n"), output.getvalue().decode().split("\n"))
        for line, segmented in lines:
            ends = line[len(line.rstrip("\r ")) :]
            assert join_pieces(segmented.strip("\r ")).split(" ") == line.strip("\r ").split() or (
                [w for w in line.strip("\r ").split(" ") if w]
                == [w for w in join_pieces(segmented.strip("\r ")).split(" ") if w]
            ), ends


@settings(max_examples=200, deadline=2000)
@given(BYTES)
def test_any_vocabulary_is_read_or_refused(data):
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            vocabulary = Vocabulary.load(file.name)
        except ValueError as error:
            assert str(error)
            return
    segmenter = Segmenter(MergeTable([("a", "b"), ("ab", "a</w>")]), vocabulary=vocabulary)
    assert "".join(segmenter.segment("abab1")) == "abab1"


@settings(max_examples=200, deadline=2000)
@given(BYTES)
def test_any_text_is_counted_or_refused(data):
    try:
        counts = count_words(io.BytesIO(data))
    except ValueError as error:
        assert "stream:" in str(error)
        return
    assert sum(count for _, count in counts.items()) == counts.totals["tokens"]
