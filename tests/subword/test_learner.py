"""Learning: the compiled core against subword-nmt, the reference implementation and worked examples."""

import io
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword_nmt import learn_bpe as subword_nmt_learn

from fairseq_subword_ext.counting.word_counts import count_words
from fairseq_subword_ext.subword import reference
from fairseq_subword_ext.subword.goodness import get_measure, measure_names
from fairseq_subword_ext.subword.learner import (
    learn_bpe,
    learn_with_statistics,
    learn_with_trace,
)

MEASURES = (
    "frequency", "frq", "av", "dlg", "frq-weighted", "av-weighted", "dlg-weighted", "dlg-average"
)  # fmt: skip
VERSIONS = ("0.1", "0.2", "byte-1")
TIE_BREAKS = ("greatest", "least", "first")

SENNRICH = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
RAIN = {"rain": 6, "rains": 3, "train": 4, "trains": 2, "brain": 1}


def unit(version):
    return "byte" if version == "byte-1" else "char"


def learn(counts, merges, version="0.2", **options):
    return learn_bpe(counts, merges, unit=unit(version), version=version, **options).merges


def subword_nmt(text, merges, **options):
    """What subword-nmt learns: the oracle."""
    output = io.StringIO()
    subword_nmt_learn.learn_bpe(io.StringIO(text, newline="\n"), output, merges, **options)
    return [tuple(line.split(" ")) for line in output.getvalue().split("\n")[1:-1]]


def words_of(alphabet, longest=9):
    return st.text(st.sampled_from(alphabet), min_size=1, max_size=longest)


def word_counts(alphabet="ab", most=12, longest=9):
    return st.dictionaries(
        words_of(alphabet, longest), st.integers(1, 7), min_size=1, max_size=most
    )


# --- worked examples -------------------------------------------------------------------------------


def test_sennrichs_example():
    """Sennrich, Haddow & Birch 2016, section 3.2: the marker is a separate symbol."""
    table, steps = learn_with_trace(SENNRICH, 5, version="0.1", tie_break="first")
    assert [(step.pair, step.occ) for step in steps] == [
        (("e", "s"), 9),
        (("es", "t"), 9),
        (("est", "</w>"), 9),
        (("l", "o"), 7),
        (("lo", "w"), 7),
    ]
    assert table.merges == [step.pair for step in steps]


def test_the_more_frequent_pair_comes_first():
    assert learn({"ab": 5, "ac": 2}, 1, version="0.1", tie_break="first") == [("a", "b")]


def test_the_rain_example():
    table, steps = learn_with_trace(RAIN, 6, version="0.1", tie_break="least")
    assert (steps[0].pair, steps[0].occ, steps[0].n) == (("a", "i"), 16, 92)
    assert steps[-1].symbols_after == 23
    assert len(table.alphabet) == 8  # seven letters and the marker; with six merges 14 symbols
    assert sum(table.alphabet.values()) == 92


def test_the_first_tie_is_the_leftmost_pair():
    # (b, a) is left of (a, b) in the first type; both occur three times.
    counts = {"ba": 2, "ab": 2, "bab": 1}
    assert learn(counts, 1, version="0.1", tie_break="first") == [("b", "a")]
    assert learn(counts, 1, version="0.1", tie_break="least") == [("a", "b")]


def test_overlapping_occurrences_count_as_in_subword_nmt():
    assert learn({"aaaa": 2}, 9) == [("a", "a"), ("aa", "a"), ("aaa", "a</w>")]
    assert learn({"aaaa": 2}, 9) == subword_nmt("aaaa aaaa\n", 9)


def test_a_literal_marker_in_the_text_is_not_the_marker():
    """A literal x</w> inside a word and a word-final x are different symbols with one spelling."""
    counts = {"x</w>y": 1, "ax": 1}
    for version in ("0.1", "0.2"):
        assert learn(counts, 20, version, min_frequency=1) == reference.learn(
            counts, 20, version=version, min_frequency=1
        )
    _, steps = learn_with_trace({"x</w>x": 3, "bx": 2}, 4)
    assert all(step.occ == 3 for step in steps)  # never 5


# --- subword-nmt -----------------------------------------------------------------------------------

SENTENCES = st.lists(st.lists(words_of("abc", 7), max_size=6), min_size=1, max_size=8)


@settings(max_examples=150)
@given(SENTENCES, st.integers(1, 3), st.integers(0, 25))
def test_equals_subword_nmt_on_random_text(sentences, min_frequency, merges):
    text = "".join(" ".join(words) + "\n" for words in sentences)
    if not any(len(word) > 1 for words in sentences for word in words):
        return  # subword-nmt raises "max() arg is an empty sequence"
    learned = learn_bpe(io.BytesIO(text.encode()), merges, min_frequency=min_frequency).merges
    assert learned == subword_nmt(text, merges, min_frequency=min_frequency)


@settings(max_examples=50)
@given(word_counts("abcd"), st.integers(0, 25))
def test_equals_subword_nmt_on_dictionaries_and_total_symbols(counts, symbols):
    if all(len(word) == 1 for word in counts):
        return
    text = "".join(f"{word} {count}\n" for word, count in counts.items())
    base = len(learn_bpe(counts, 0).alphabet)
    if symbols < base:  # subword-nmt silently makes no merges
        with pytest.raises(ValueError, match=f"fewer than the {base} base symbols of the text"):
            learn_bpe(counts, symbols, total_symbols=True)
        return
    learned = learn_bpe(io.BytesIO(text.encode()), symbols, dict_input=True, total_symbols=True)
    assert learned.merges == subword_nmt(text, symbols, is_dict=True, total_symbols=True)


def made_text(seed=0, sentences=400):
    """Text with the frequencies of a natural language: Zipfian words of Zipfian syllables."""
    draw = random.Random(seed)
    syllables = [a + b + c for a in "ptkmnsß" for b in "aeiöя" for c in ("", "n", "r")]
    types = [
        "".join(draw.choices(syllables, [1 / (i + 1) for i in range(len(syllables))], k=k))
        for k in draw.choices((1, 2, 3, 4), (2, 5, 3, 1), k=3000)
    ]
    weights = [1 / (i + 1) for i in range(len(types))]
    lines = [" ".join(draw.choices(types, weights, k=12)) for _ in range(sentences)]
    return "\n".join(lines) + "\n"


def test_equals_subword_nmt_on_made_text(tmp_path):
    text = made_text(sentences=1500)
    path = tmp_path / "text"
    path.write_bytes(text.encode())
    expected = subword_nmt(text, 1500)
    assert len(expected) == 1500
    for workers in (1, 2, 5):
        assert learn_bpe(path, 1500, num_workers=workers).merges == expected
    with path.open("rb") as stream:
        assert learn_bpe(stream, 1500).merges == expected


# --- the reference implementation ------------------------------------------------------------------


@settings(max_examples=60)
@given(
    word_counts(),
    st.sampled_from(MEASURES),
    st.sampled_from(VERSIONS),
    st.sampled_from(TIE_BREAKS),
    st.integers(1, 3),
    st.sampled_from(("tokens", "types")),
)
def test_native_equals_reference(counts, measure, version, tie_break, min_frequency, dlg_counts):
    options = {
        "measure": measure,
        "tie_break": tie_break,
        "min_frequency": min_frequency,
        "dlg_counts": dlg_counts,
    }
    assert learn(counts, 40, version, **options) == reference.learn(
        counts, 40, version=version, **options
    )


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("version", VERSIONS)
def test_native_equals_reference_on_made_text(measure, version):
    counts = dict(count_words(io.BytesIO(made_text(1, 60).encode())).items())
    for tie_break in TIE_BREAKS:
        options = {"measure": measure, "tie_break": tie_break}
        assert learn(counts, 60, version, **options) == reference.learn(
            counts, 60, version=version, **options
        )


@settings(max_examples=30)
@given(word_counts("a", 8, 40), st.sampled_from(MEASURES), st.sampled_from(TIE_BREAKS))
def test_native_equals_reference_on_self_pairs(counts, measure, tie_break):
    options = {"measure": measure, "tie_break": tie_break, "min_frequency": 1}
    assert learn(counts, 40, **options) == reference.learn(counts, 40, **options)


@settings(max_examples=60)
@given(word_counts("ab", 10, 30), st.sampled_from(MEASURES), st.integers(2, 6))
def test_native_equals_reference_where_symbols_are_made_twice(counts, measure, min_frequency):
    """Long words over two letters: many pairs with one concatenation, and rare pairs that return."""
    options = {"measure": measure, "min_frequency": min_frequency}
    assert learn(counts, 60, **options) == reference.learn(counts, 60, **options)


# --- counts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_counts_above_32_and_near_63_bits(measure):
    large = 2**48 if measure == "dlg-weighted" else 2**61
    counts = {"the": 3_000_000_000, "then": large // 5, "hen": large // 10, "he": 7}
    expected = reference.learn(counts, 20, measure=measure)
    assert learn(counts, 20, measure=measure) == expected
    assert len(expected) >= 3


@pytest.mark.parametrize("measure", MEASURES)
def test_counts_around_the_largest_that_a_boundary_holds(measure):
    largest = 2**30
    counts = {"abab": largest - 1, "bab": largest, "abc": largest + 1, "cab": 3, "bc": 2**40}
    learned = learn(counts, 20, measure=measure)
    assert learned == reference.learn(counts, 20, measure=measure)


def test_counts_beyond_63_bits_are_rejected():
    with pytest.raises(ValueError, match="2\\^63"):
        learn({"abc": 2**62, "abd": 2**62}, 3)
    with pytest.raises(ValueError, match="2\\^63"):
        learn({"abc": 2**63}, 3)
    with pytest.raises(ValueError, match="too large for dlg-weighted"):
        learn({"abc": 2**60, "abd": 2**59}, 3, measure="dlg-weighted")


def test_the_trace_holds_all_statistics():
    # (a, b) occurs in two types, ab and xaby, which have three tokens. It is preceded by the boundary
    # and x, and followed by the marker and y. Symbols: 2 (a b .) + (x a b y .) + 4 (z .) = 6 + 5 + 8.
    _, steps = learn_with_trace({"ab": 2, "xaby": 1, "z": 4}, 1, version="0.1", tie_break="least",
                                min_frequency=3, measure="av")  # fmt: skip
    step = steps[0]
    assert step.pair == ("a", "b")
    assert (step.occ, step.types, step.wf, step.L, step.R) == (3, 2, 3, 2, 2)
    assert (step.c_a, step.c_b, step.n, step.m) == (3, 3, 19, 3)
    assert (step.score, step.symbols_after) == (2, 16)


@settings(max_examples=50)
@given(
    word_counts("abé", 8, 12),
    st.sampled_from(VERSIONS),
    st.sampled_from(("frequency", "dlg")),
    st.sampled_from(("tokens", "types")),
)
def test_merge_statistics_are_those_of_every_prefix(counts, version, measure, dlg_counts):
    options = {
        "unit": unit(version),
        "version": version,
        "measure": measure,
        "dlg_counts": dlg_counts,
        "min_frequency": 1,
    }
    table, statistics = learn_with_statistics(counts, 30, **options)
    assert table.merges == learn_bpe(counts, 30, **options).merges
    words = {word: reference.base_symbols(word, version) for word in counts}
    sizes = statistics.token_counts()
    assert len(sizes) == len(table) + 1
    for merges, size in enumerate(sizes):
        found = dict.fromkeys(table.alphabet, 0)
        for word, count in counts.items():
            for symbol in map(reference.spell, words[word]):
                found[symbol] = found.get(symbol, 0) + count
        present = {s: c for s, c in statistics.symbol_counts(merges).items() if c}
        assert present == {s: c for s, c in found.items() if c}
        assert size == sum(found.values())
        if merges < len(table):
            pair = table.merges[merges]
            words = {
                word: reference.replace_pair(list(map(reference.spell, symbols)), pair)
                for word, symbols in words.items()
            }


def test_merge_statistics_reject_more_merges_than_there_are():
    _, statistics = learn_with_statistics({"ab": 3}, 5)
    assert statistics.replacements == [3]
    with pytest.raises(ValueError, match="merges must be from 0 to 1, not 2"):
        statistics.symbol_counts(2)


# --- long words, little text, bad arguments --------------------------------------------------------


def test_a_word_of_100_000_characters():
    draw = random.Random(3)
    word = "".join(draw.choice("abcde") for _ in range(100_000))
    learned = learn({word: 1, "abc": 2}, 200)
    assert len(learned) == 200
    assert learned[:5] == reference.learn({word: 1, "abc": 2}, 5)


def test_text_without_pairs_gives_an_empty_table():
    table = learn_bpe({"a": 3, "b": 2}, 10)
    assert table.merges == []
    assert table.metadata["merges_asked"] == 10
    assert learn({"ab": 1, "cd": 1}, 10) == []


@pytest.mark.parametrize("text", ["", "\n", "  \n \n"])
def test_text_without_words_is_rejected(text):
    with pytest.raises(ValueError, match="no word"):
        learn_bpe(io.BytesIO(text.encode()), 10)


def test_runs_of_spaces_and_blank_lines_are_ignored():
    assert learn_bpe(io.BytesIO(b"and  x .  \n\n and\n"), 10).merges == [
        ("n", "d</w>"),
        ("a", "nd</w>"),
    ]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"measure": "pmi2"}, "frequency, frq"),
        ({"unit": "word"}, "unit"),
        ({"version": "0.3"}, "0.3"),
        ({"unit": "byte", "version": "0.2"}, "version"),
        ({"tie_break": "last"}, "tie_break"),
        ({"dlg_counts": "words"}, "dlg_counts"),
        ({"unit": "byte", "borders": "script"}, "borders must be one of none, "),
        ({"borders": "character"}, "borders 'character' apply to bytes"),
        ({"num_symbols": -1}, "-1"),
        ({"num_workers": 0}, "num_workers"),
        ({"carriage_return": "drop"}, "carriage_return"),
    ],
)
def test_bad_arguments_are_named(options, message):
    options = {"inputs": {"ab": 2}, "num_symbols": 3, **options}
    with pytest.raises(ValueError, match=message):
        learn_bpe(**options)


def test_the_metadata_says_how_it_was_learned(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"aab aab\n")
    table = learn_bpe(path, 1, measure="dlg-weighted", dlg_counts="types")
    assert table.metadata["measure"] == "dlg-weighted"
    assert table.metadata["dlg_counts"] == "types"
    assert table.metadata["corpus"] == "corpus.txt"
    assert (table.metadata["word_types"], table.metadata["word_tokens"]) == (1, 2)
    assert table.alphabet == {"a": 4, "b</w>": 2}


def test_byte_tables_have_all_256_bytes():
    table = learn_bpe({"aab": 3}, 258, unit="byte", total_symbols=True)
    assert len(table.alphabet) == 256
    assert len(table) == 2
    assert table.alphabet["▁"] == 3
    assert len(learn_bpe({"aab": 3}, 256, unit="byte", total_symbols=True)) == 0
    with pytest.raises(ValueError, match="255 symbols in total are fewer than the 256 bytes"):
        learn_bpe({"aab": 3}, 255, unit="byte", total_symbols=True)


def test_learning_twice_at_once_gives_the_same():
    counts = dict(count_words(io.BytesIO(made_text(2, 300).encode())).items())
    expected = learn(counts, 300, measure="av-weighted")
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(learn(counts, 300, measure="av-weighted")))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3


def test_progress_is_reported_and_can_stop():
    counts = dict(count_words(io.BytesIO(made_text(2, 300).encode())).items())
    seen = []
    learn(counts, 300, progress=seen.append)
    assert seen == sorted(seen) and 0 < seen[-1] <= 300

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(counts, 300, progress=stop)


def test_the_built_in_measures_are_native():
    assert {name for name in measure_names() if get_measure(name).native} == set(MEASURES)
