"""Advice on the number of merges: the measures are those of text that was segmented, size by size."""

from collections import Counter

import pytest
from made_languages import made_lines

from fairseq_subword_ext.counting.word_counts import WordCounts
from fairseq_subword_ext.reports import size_advice
from fairseq_subword_ext.reports.intrinsic import evenness
from fairseq_subword_ext.reports.size_advice import (
    SizeMeasures,
    recommend,
    size_grid,
    suggest_size,
    whole_words,
)
from fairseq_subword_ext.subword.goodness import measure_names
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.segmenter import Segmenter

WORDS = Counter(" ".join(made_lines(400)).split(" "))


def segmented(table, merges):
    """Each word type of the text with its pieces, by applying the first merges."""
    segmenter = Segmenter(table, merges=merges, compat="subword-nmt")
    lines = segmenter.segment_lines(list(WORDS))
    return [(line.split(" "), count) for line, count in zip(lines, WORDS.values())]


@pytest.mark.parametrize("unit", ["char", "byte"])
@pytest.mark.parametrize("measure", measure_names())
def test_all_measures_are_those_of_segmented_text(measure, unit):
    advice = suggest_size(WordCounts.from_mapping(WORDS), 600, 16, measure=measure, unit=unit)
    assert [size.merges for size in advice.sizes] == [250, 350, 500, 600]
    total = sum(WORDS.values())
    for size in advice.sizes:
        words = segmented(advice.table, size.merges)
        tokens = Counter()
        for pieces, count in words:
            tokens.update(dict.fromkeys(set(pieces), 0))
            for piece in pieces:
                tokens[piece] += count
        assert size.used == len(tokens)
        assert size.tokens_per_word == sum(tokens.values()) / total
        assert size.whole_words == sum(n for pieces, n in words if len(pieces) == 1) / total
        for least, share in size.frequent.items():
            assert share == sum(n >= least for n in tokens.values()) / len(tokens)
        assert size.renyi_efficiency == pytest.approx(evenness(tokens).renyi_efficiency)
        assert size.symbols == len(advice.table.alphabet) + size.merges
        assert size.embedding == 16 * (size.symbols + 4)
        assert size.tokens_per_sentence is None  # counts have no sentences


def test_symbols_that_merges_make_are_judged_apart():
    # After both merges the text is low</w> (9 times) and one x</w>; "lo" is used up.
    counts = WordCounts.from_mapping({"low": 120, "x": 1})
    advice = suggest_size(counts, 2)
    assert advice.table.merges == [("o", "w</w>"), ("l", "ow</w>")]
    (size,) = advice.sizes
    assert (size.symbols, size.used) == (6, 2)
    assert size.frequent == {50: 0.5, 100: 0.5, 200: 0}
    assert size.frequent_made == {50: 1, 100: 1, 200: 0}


def test_words_become_whole_by_the_merge_that_makes_them():
    table = MergeTable([("a", "b</w>"), ("b", "c</w>"), ("a", "bc</w>")])
    counts = WordCounts.from_mapping({"ab": 5, "abc": 3, "bc": 2, "c": 7, "cab": 11})
    assert whole_words(counts, table) == [7, 12, 14, 17]


def test_a_word_that_two_merges_can_make():
    # "abc" is whole after the fourth merge; only words with "xabc" inside would need the third.
    table = MergeTable([("a", "b"), ("b", "c</w>"), ("a", "bc</w>"), ("ab", "c</w>")])
    counts = WordCounts.from_mapping({"abc": 3, "bc": 2})
    assert Segmenter(table, merges=3).segment("abc") == ["ab", "c"]
    assert whole_words(counts, table) == [0, 0, 2, 2, 5]


def test_the_grid():
    assert size_grid(2000) == [250, 350, 500, 710, 1000, 1400, 2000]
    assert size_grid(2001) == [250, 350, 500, 710, 1000, 1400, 2000, 2001]
    assert size_grid(64000)[-4:] == [23000, 32000, 45000, 64000]
    assert size_grid(100) == [100]


def sizes(*shares, made=None):
    """Sizes 1, 2, ... with these shares of symbols that occur 50, 100 and 200 times."""
    made = made or [(0, 0, 0)] * len(shares)
    rows = []
    for merges, (all_symbols, own) in enumerate(zip(shares, made), 1):
        thresholds = size_advice.THRESHOLDS
        frequent, frequent_made = dict(zip(thresholds, all_symbols)), dict(zip(thresholds, own))
        rows.append(SizeMeasures(merges, 9, 9, 1, 1, 1, frequent, frequent_made, 1, 9))
    return rows


def test_the_largest_size_that_fulfils_the_criterion():
    chosen = recommend(
        sizes((1, 1, 0.9), (1, 1, 0.95), (1, 0.95, 0.9), (0.95, 0.9, 0), (0, 0, 0)), True
    )
    assert (chosen.merges, chosen.low, chosen.high) == (3, 2, 4)
    assert "95% of the symbols in use occur 100 times or more" in chosen.reason


@pytest.mark.parametrize(("exhausted", "words"), [(True, "no more merges"), (False, "--max")])
def test_the_last_size_says_why_there_is_no_larger_one(exhausted, words):
    chosen = recommend(sizes((1, 1, 1), (1, 1, 1)), exhausted)
    assert (chosen.merges, chosen.low, chosen.high) == (2, 2, 2)
    assert words in chosen.reason


def test_rare_characters_do_not_decide():
    rows = sizes(
        (0.5, 0.5, 0.5), (0.6, 0.6, 0.6), (0.5, 0.5, 0.5), made=[(1, 1, 1), (1, 1, 0), (1, 0, 0)]
    )
    chosen = recommend(rows, True)
    assert (chosen.merges, chosen.low, chosen.high) == (2, 1, 3)
    assert "symbols that merges make" in chosen.reason and "rare characters" in chosen.reason


def test_small_texts_get_the_smallest_size():
    chosen = recommend(sizes((0, 0, 0), (0, 0, 0), made=[(1, 0, 0), (0, 0, 0)]), True)
    assert (chosen.merges, chosen.low, chosen.high) == (1, 1, 1)
    assert "the text is small" in chosen.reason


@pytest.mark.parametrize("largest", [0, -1, 1.5])
def test_sizes_are_whole_numbers(largest):
    with pytest.raises(ValueError, match="the largest size"):
        suggest_size(WordCounts.from_mapping(WORDS), largest)
