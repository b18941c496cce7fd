"""Segmenting: the compiled core against subword-nmt, the reference implementation and worked examples."""

import io
import itertools
import pickle
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword_nmt import apply_bpe as subword_nmt_apply

from fairseq_subword_ext.subword import reference
from fairseq_subword_ext.subword.byte_text import to_byte_text
from fairseq_subword_ext.subword.escaping import escape_pieces, join_pieces
from fairseq_subword_ext.subword.learner import learn_bpe
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter
from fairseq_subword_ext.subword.vocabulary import Vocabulary

SENNRICH = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
RAIN = {"rain": 6, "rains": 3, "train": 4, "trains": 2, "brain": 1}


def table(merges, version="0.2"):
    return MergeTable(list(merges), "byte" if version == "byte-1" else "char", version)


def plain(merges, /, version="0.2", **options):
    return Segmenter(table(merges, version), compat="subword-nmt", **options)


def oracle(merges, /, version="0.2", **options):
    # subword-nmt rejects an empty table, so add a merge that matches no text.
    text = table([*merges, ("\x00", "\x00")], version).to_text()
    return subword_nmt_apply.BPE(io.StringIO(text), **options)


# --- worked examples -------------------------------------------------------------------------------


def test_an_unseen_word():
    learned = learn_bpe(SENNRICH, 5, version="0.1", tie_break="first")
    assert Segmenter(learned).segment("lowest") == ["low", "est"]
    assert Segmenter(learned).segment_line("lowest low") == "low@@ est low"


def test_rules_apply_in_the_order_of_the_table():
    assert Segmenter(table([("a", "b"), ("b", "c")])).segment("abcx") == ["ab", "c", "x"]
    assert Segmenter(table([("b", "c"), ("a", "b")])).segment("abcx") == ["a", "bc", "x"]


def test_the_rain_example():
    learned = learn_bpe(RAIN, 6, version="0.1", tie_break="least")
    segmenter = Segmenter(learned, unknown="error")
    assert segmenter.segment("brains") == ["b", "rains"]
    text = " ".join(segmenter.segment_line(word) for word in RAIN)
    # With the marker: of 14 symbols, the text shows rain</w>, rains</w>, t and b.
    assert set(text.replace("@@", "").split()) == {"rain", "rains", "t", "b"}
    with pytest.raises(ValueError, match="'y'"):
        segmenter.segment("rainy")
    with pytest.raises(ValueError, match=r"line 2: .*'y'.*'rainy'"):
        segmenter.segment_lines(["rain", "rainy"])
    assert Segmenter(learned).segment("rainy") == ["rain", "y"]
    assert Segmenter(learned, unknown="unk").segment_line("rainy") == "rain@@ <unk>"


def test_overlapping_pairs_merge_from_the_left():
    assert plain([("a", "a")]).segment("aaab") == ["aa", "a", "b"]
    assert plain([("a", "a")]).segment("aaaab") == ["aa", "aa", "b"]


# --- subword-nmt -----------------------------------------------------------------------------------

MERGES = st.lists(
    st.tuples(
        st.text("abc", min_size=1, max_size=3), st.sampled_from(["", "</w>"]), st.text("abc", min_size=1, max_size=3)
    ),
    max_size=25,
)  # fmt: skip


def as_merges(drawn, version):
    merges = [(left, right + marker) for left, marker, right in drawn]
    if version == "0.1":  # a separate merge joins the marker
        merges += [("a", "</w>"), ("ab", "</w>"), ("c", "a</w>")]
    return merges


LINE = st.text("abc d \r", max_size=40)


@settings(max_examples=200)
@given(MERGES, st.sampled_from(["0.1", "0.2"]), LINE, st.sampled_from(["@@", "￭", "_"]))
def test_equals_subword_nmt(drawn, version, line, separator):
    merges = as_merges(drawn, version)
    expected = oracle(merges, version, separator=separator).process_line(line)
    assert plain(merges, version, separator=separator).segment_line(line) == expected


@settings(max_examples=100)
@given(MERGES, LINE, st.integers(0, 30))
def test_equals_subword_nmt_with_the_first_merges(drawn, line, number):
    merges = as_merges(drawn, "0.2")
    expected = oracle(merges, merges=number).process_line(line)
    assert plain(merges, merges=number).segment_line(line) == expected


@settings(max_examples=200)
@given(MERGES, LINE, st.sets(st.text("abc", min_size=1, max_size=4), max_size=15), st.data())
def test_equals_subword_nmt_with_a_vocabulary(drawn, line, pieces, data):
    merges = as_merges(drawn, "0.2")
    tokens = {piece + data.draw(st.sampled_from(["", "@@"])) for piece in sorted(pieces)}
    # subword-nmt treats an empty vocabulary as none.
    tokens.add("a")
    expected = oracle(merges, vocab=tokens).process_line(line)
    assert plain(merges, vocabulary=tokens).segment_line(line) == expected


@settings(max_examples=100)
@given(
    MERGES,
    st.text("abc d", max_size=40),
    st.lists(st.sampled_from(["ab", "c", "a+b", "(?:bc)+", "d.", "aaa"]), min_size=1, max_size=1),
)
def test_equals_subword_nmt_with_a_glossary(drawn, line, glossary):
    merges = as_merges(drawn, "0.2")
    expected = oracle(merges, glossaries=glossary).process_line(line)
    assert plain(merges, glossaries=glossary).segment_line(line) == expected


def test_vocabulary_threshold():
    learned = learn_bpe({"abab": 4, "abc": 3}, 3)
    vocabulary = Vocabulary({"abab": 4, "ab@@": 1, "c": 1, "a@@": 9, "b@@": 9})
    for threshold in (None, 2, 5):
        tokens = vocabulary.tokens(threshold)
        expected = oracle(learned.merges, vocab=tokens).process_line("abab abc")
        assert plain(learned.merges, vocabulary=tokens).segment_line("abab abc") == expected


@settings(max_examples=60)
@given(MERGES, st.text("abc", min_size=129, max_size=250))
def test_long_words_equal_subword_nmt(drawn, word):
    """Beyond 128 symbols the core uses a heap, if a table is not in order."""
    merges = as_merges(drawn, "0.2")
    assert plain(merges).segment_line(word) == oracle(merges).process_line(word)


def test_a_chain_of_1400_merges_is_undone():
    """With a vocabulary of single characters, every merge is undone, one inside another."""
    word = "ab" * 700
    merges = [(word[:i], word[i]) for i in range(1, len(word) - 1)] + [(word[:-1], "b</w>")]
    tokens = {"a@@", "b@@", "b"}
    expected = oracle(merges, vocab=tokens).process_line(word)
    assert plain(merges, vocabulary=tokens).segment_line(word) == expected
    assert reference.segment(word, merges, vocabulary=tokens) == list(word)


# --- the reference implementation ------------------------------------------------------------------


@settings(max_examples=200)
@given(
    MERGES,
    st.sampled_from(["0.1", "0.2", "byte-1"]),
    st.text("abc", min_size=1, max_size=90),
    st.one_of(st.none(), st.sets(st.text("abc@", min_size=1, max_size=4), max_size=15)),
)
def test_native_equals_reference(drawn, version, word, vocabulary):
    merges = as_merges(drawn, version)
    if version == "byte-1":
        merges = [(left, right.replace("</w>", "")) for left, right in merges] + [("▁", "a")]
    native = Segmenter(table(merges, version), vocabulary=vocabulary)
    assert native.segment(word) == reference.segment(word, merges, version, vocabulary=vocabulary)


def in_order(steps, version):
    """A table in which every rule joins symbols that the rules before it can make."""
    inner, final = (
        ["a", "b", "c"],
        {"0.1": ["</w>"], "0.2": ["a</w>", "b</w>", "c</w>"]}.get(version, []),
    )
    if version == "byte-1":
        inner = ["a", "b", "c", "▁"]
    merges = []
    for first, second in steps:
        left = inner[first % len(inner)]
        right = [*inner, *final][second % (len(inner) + len(final))]
        merges.append((left, right))
        (final if right in final else inner).append(left + right)
    return merges


@settings(max_examples=400)
@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=30),
    st.sampled_from(["0.1", "0.2", "byte-1"]),
    st.lists(st.text("abcd", min_size=1, max_size=100), min_size=1, max_size=5),
)
def test_any_table_in_order_equals_the_reference(steps, version, words):
    """Such tables are applied by the longest match; the words share one segmenter, and thus its memory."""
    merges = in_order(steps, version)
    native = Segmenter(table(merges, version))
    for word in words:
        assert native.segment(word) == reference.segment(word, merges, version)


@pytest.mark.parametrize("unit", ["char", "byte"])
@pytest.mark.parametrize("measure", ["frequency", "dlg-weighted", "av"])
def test_every_short_word_equals_the_reference(unit, measure):
    draw = random.Random(3)
    counts = {
        "".join(draw.choices("abcé", [8, 4, 2, 1], k=draw.randint(1, 12))): draw.randint(1, 9)
        for _ in range(300)
    }
    learned = learn_bpe(counts, 150, measure, unit=unit, min_frequency=1)
    native = Segmenter(learned)
    for size in range(1, 7):
        for letters in itertools.product("abcé", repeat=size):
            word = "".join(letters)
            assert native.segment(word) == reference.segment(word, learned.merges, learned.version)


def test_a_rule_before_those_that_make_its_symbols():
    """Such a rule applies as soon as its symbols appear, before rules of lower rank."""
    merges = [("ab", "c</w>"), ("b", "c</w>"), ("a", "b")]
    assert Segmenter(table(merges)).segment("abc") == ["a", "bc"]
    merges = [("ab", "c</w>"), ("a", "b"), ("b", "c</w>")]
    assert Segmenter(table(merges)).segment("abc") == ["abc"]


# --- dropout ---------------------------------------------------------------------------------------

ALL_OF_HELLO = [("l", "l"), ("h", "e"), ("he", "ll"), ("hell", "o</w>")]


def test_dropout_of_0_and_1_skips_nothing_and_everything():
    segmenter = Segmenter(table(ALL_OF_HELLO))
    assert segmenter.segment_line("hello", dropout=1.0) == "h@@ e@@ l@@ l@@ o"
    assert segmenter.segment_line("hello", dropout=0.0) == "hello"


def test_words_with_dropout_are_not_cached():
    """subword-nmt caches them and prints them again without dropout."""
    segmenter = Segmenter(table(ALL_OF_HELLO))
    assert segmenter.segment_line("hello", dropout=1.0) != "hello"
    assert segmenter.segment_line("hello") == "hello"
    assert segmenter.segment_line("hello", dropout=1.0) == "h@@ e@@ l@@ l@@ o"


def test_dropout_is_the_same_for_any_number_of_workers_and_differs_by_line():
    segmenter = Segmenter(table(ALL_OF_HELLO))
    lines = ["hello hello hello"] * 4000
    one = segmenter.segment_lines(lines, 1, dropout=0.4, seed=7)
    for workers in (2, 3, 8):
        assert segmenter.segment_lines(lines, workers, dropout=0.4, seed=7) == one
    assert len(set(one)) > 50
    assert segmenter.segment_lines(lines, 1, dropout=0.4, seed=8) != one
    # Also in parts, since a line's random numbers depend on its number.
    parts = segmenter.segment_lines(lines[:1000], 2, 0.4, 7)
    parts += segmenter.segment_lines(lines[1000:], 2, 0.4, 7, first_line=1000)
    assert parts == one
    stream = io.BytesIO()
    segmenter.segment_stream(io.BytesIO("\n".join(lines).encode()), stream, 2, 0.4, 7)
    assert stream.getvalue().decode().split("\n") == one


@pytest.mark.parametrize("length", [1, 14], ids=["short word", "long word"])
def test_dropout_has_the_distribution_of_subword_nmt(length):
    """The numbers of pieces over many draws agree; long words take another path through the core."""
    merges = ALL_OF_HELLO[:3] + [("hell", "o"), ("hello", "hello")]
    word = "hello" * length
    draws = 1500
    bpe = oracle(merges)
    random.seed(5)
    theirs = sum(len(bpe.process_line(word, 0.3).split()) for _ in range(draws)) / draws
    lines = Segmenter(table(merges)).segment_lines([word] * draws, 1, 0.3, seed=5)
    ours = sum(len(line.split()) for line in lines) / draws
    assert ours == pytest.approx(theirs, rel=0.04)
    assert ours > len(oracle(merges).process_line(word).split())


# --- what Fairseq would misread ---------------------------------------------------------------------


@pytest.mark.parametrize("token", ["<s>", "</s>", "<pad>", "<unk>", "madeupword0000"])
def test_control_strings_are_never_printed(token):
    learned = learn_bpe({token: 5, f"x{token}": 3, f"{token}x": 3}, 60)
    segmenter = Segmenter(learned)
    line = f"{token} x{token} {token}x"
    tokens = segmenter.segment_line(line).split(" ")
    assert token not in tokens
    assert token not in [piece for word in line.split() for piece in segmenter.segment(word)[-1:]]
    assert join_pieces(" ".join(tokens)) == line
    assert plain(learned.merges).segment_line(line) == oracle(learned.merges).process_line(line)
    # Only the last merge of what Fairseq would read as a control symbol is undone.
    assert len(segmenter.segment(token)) == 2


@pytest.mark.parametrize("token", ["<s>", "</s>", "<pad>", "<unk>", "madeupword0000"])
def test_control_strings_are_never_printed_as_bytes(token):
    learned = learn_bpe({f"x{token}": 5, f"y{token}y": 5, f"z{token}": 5}, 80, unit="byte")
    assert any(left + right == token for left, right in learned)
    segmenter = Segmenter(learned)
    line = f"{token} x{token} q{token}q"
    tokens = segmenter.segment_line(line).split(" ")
    assert token not in tokens
    assert "".join(tokens) == to_byte_text(line)


TRICKY = st.text(
    st.sampled_from(
        [*"ab@<>/s;A0", "\u00a0", "\u3000", "\t", "\u241b", "\u2028", "\u0085", "é", "中", "😀"]
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=200)
@given(TRICKY)
def test_escaping_equals_the_python_definition(word):
    segmenter = Segmenter(table([("<", "s"), ("<s", "></w>"), ("@", "@</w>"), ("a", "b")]))
    expected = " ".join(escape_pieces(segmenter.segment(word)))
    assert segmenter.segment_line(word) == expected
    assert join_pieces(expected) == word
    assert all(token.split() == [token] for token in expected.split(" "))


# --- lines -----------------------------------------------------------------------------------------


def test_lines_end_at_newlines_only():
    segmenter = plain([("a", "b</w>")])
    line = "ab\u2028ab\u0085 ab\x0bab\x0c ab"
    assert segmenter.segment_line(line + "\n").count("\n") == 1
    output = io.BytesIO()
    assert segmenter.segment_stream(io.BytesIO((line + "\nab\n").encode()), output) == 2
    assert output.getvalue().count(b"\n") == 2


def test_carriage_returns():
    lines = ["ab ab\r\n", "a\rb\n", "ab"]
    with pytest.raises(ValueError, match=r"line 2: .*carriage return"):
        Segmenter(table([("a", "b</w>")])).segment_lines(lines)
    replaced = Segmenter(table([("a", "b</w>")]), carriage_return="replace").segment_lines(lines)
    assert replaced == ["ab ab\r\n", "a b\n", "ab"]
    assert plain([("a", "b</w>")]).segment_lines(lines) == ["ab ab\r\n", "a@@ \r@@ b\n", "ab"]


def test_a_stream_is_segmented_like_its_lines():
    draw = random.Random(0)
    lines = [
        " ".join("ab" * draw.randint(1, 3) for _ in range(draw.randint(0, 9))) for _ in range(3000)
    ]
    segmenter = Segmenter(table([("a", "b"), ("ab", "ab"), ("a", "b</w>")]))
    expected = segmenter.segment_lines(lines)
    for end in ("", "\n"):
        for workers in (1, 2, 7):
            output = io.BytesIO()
            number = segmenter.segment_stream(
                io.BytesIO(("\n".join(lines) + end).encode()), output, workers
            )
            assert output.getvalue().decode() == "\n".join(expected) + end
            assert number == len(lines)


def test_broken_text_is_an_error_with_its_line():
    segmenter = Segmenter(table([("a", "b")]))
    for unit_segmenter in (segmenter, Segmenter(table([], "byte-1"))):
        with pytest.raises(ValueError, match=r"line 3: byte 2 of the line \(0xFF\) .*UTF-8"):
            unit_segmenter.segment_stream(io.BytesIO(b"ab\nab\na\xffb\n"), io.BytesIO())
        with pytest.raises(ValueError, match=r"line 2: character 2 .*D800"):
            unit_segmenter.segment_lines(["ab", "a\ud800"])
    with pytest.raises(ValueError, match="newline"):
        segmenter.segment_lines(["a\nb"])


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=30))
def test_bytes_lose_nothing(line):
    segmenter = Segmenter(learn_bpe({"abab": 3, "中中": 2}, 6, unit="byte"))
    assert "".join(segmenter.segment_line(line).split(" ")) == to_byte_text(line)


# --- glossaries ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "glossary, word, expected",
    [
        (["(a|b)+"], "xaby", "x@@ ab@@ y"),  # subword-nmt prints x@@ ab@@ b@@ y
        (["C++"], "C++x", "C++@@ x"),
        (["["], "a[b", "a@@ [@@ b"),
        (["(a"], "x(a", "x@@ (a"),
        (["ab", "abc"], "abc", "abc"),
        (["abc", "ab"], "xabc", "x@@ abc"),
        (["<tag>.*?</tag>"], "a<tag>bc</tag>d", "a@@ <tag>bc</tag>@@ d"),
        (["x*"], "abc", "a@@ b@@ c"),
        (["\t"], "a\tb", "a@@ \t@@ b"),
    ],
)
def test_glossaries_protect_and_change_nothing_else(glossary, word, expected):
    segmenter = Segmenter(table([]), glossaries=glossary, escape=False)
    assert segmenter.segment_line(word) == expected
    assert expected.replace("@@ ", "") == word


def test_a_glossary_works_in_threads_and_under_dropout():
    segmenter = Segmenter(table(ALL_OF_HELLO), glossaries=["USA"])
    lines = ["hello USAhello"] * 3000
    assert set(segmenter.segment_lines(lines, 3)) == {"hello USA@@ hello"}
    assert segmenter.segment_line("USAhello", dropout=1.0) == "USA@@ h@@ e@@ l@@ l@@ o"


# --- speed and memory ------------------------------------------------------------------------------


def test_a_word_of_one_megabyte_takes_less_than_a_second():
    draw = random.Random(1)
    sample = "".join(draw.choice("abcde") for _ in range(20_000))
    segmenter = Segmenter(learn_bpe({sample: 2}, 2000))
    word = "".join(draw.choice("abcde") for _ in range(1_000_000))
    start = time.process_time()
    pieces = segmenter.segment(word)
    segmenter.segment(word, dropout=0.1, seed=1)
    assert time.process_time() - start < 4  # for two words, on a slow machine
    assert "".join(pieces) == word


def test_the_cache_is_bounded():
    resource = pytest.importorskip("resource")
    segmenter = Segmenter(table([("a", "b")]))
    segmenter.segment_lines([f"w{i}ab" for i in range(600_000)])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for part in range(6):
        segmenter.segment_lines([f"x{part}y{i}ab" for i in range(600_000)])
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 150_000  # kilobytes; 3.6 million words would take three times that


# --- objects ---------------------------------------------------------------------------------------


def test_pickling():
    learned = learn_bpe(SENNRICH, 8)
    segmenter = Segmenter(learned, separator="￭", vocabulary={"low", "e￭"}, glossaries=["est"])
    copy = pickle.loads(pickle.dumps(segmenter))
    line = "lowest newest lower widest"
    assert copy.segment_line(line) == segmenter.segment_line(line)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"separator": ""}, "empty"),
        ({"separator": "a b"}, "space"),
        ({"merges": -1}, "-1"),
        ({"unknown": "drop"}, "keep, error, unk"),
        ({"unknown": "error"}, "alphabet"),
        ({"compat": "fairseq"}, "subword-nmt"),
        ({"glossaries": [""]}, "empty"),
        ({"carriage_return": "drop"}, "carriage_return"),
    ],
)
def test_bad_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        Segmenter(table([("a", "b")]), **options)


@pytest.mark.parametrize("word", ["", "a b", "a\nb"])
def test_segment_needs_one_word(word):
    with pytest.raises(ValueError, match="one word"):
        Segmenter(table([])).segment(word)


def test_dropout_is_a_probability():
    with pytest.raises(ValueError, match="probability"):
        Segmenter(table([])).segment_line("ab", dropout=1.5)
