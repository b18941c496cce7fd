"""The goodness measures: worked examples, user-defined ones, and Wu & Zhao's Figure 2."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairseq_subword_ext.subword import goodness, reference
from fairseq_subword_ext.subword.goodness import (
    Measure,
    PairStatistics,
    get_measure,
    load_measure_module,
    register_measure,
)
from fairseq_subword_ext.subword.learner import learn_bpe, learn_with_trace
from fairseq_subword_ext.subword.segmenter import Segmenter

# The marker is a separate symbol; the counts are chosen so that the measures disagree.
# `.` is the marker and `#` the word boundary:
#
#   type  f    symbols
#   xab   20   x a b .
#   xabc   1   x a b c .
#   pde    3   p d e .      qde 3   q d e .      rdek 2   r d e k .
#   sfg    2   s f g .      tfgh 2  t f g h .    ufgi 2   u f g i .     vfgj 2   v f g j .
#
#   pair   occ  types  wf   L before            R after            min(L, R)
#   a b    21     2    21   1 (x)               2 (. c)            1
#   x a    21     2    21   1 (#)               1 (b)              1
#   b .    20     1    20   1 (a)               1 (#)              1
#   d e     8     3     8   3 (p q r)           2 (. k)            2
#   f g     8     4     8   4 (s t u v)         4 (. h i j)        4
THREE = {
    "xab": 20, "xabc": 1, "pde": 3, "qde": 3, "rdek": 2, "sfg": 2, "tfgh": 2, "ufgi": 2, "vfgj": 2,
}  # fmt: skip


def first_merge(counts, measure, **options):
    _, steps = learn_with_trace(
        counts, 1, measure=measure, version="0.1", tie_break="least", **options
    )
    return steps[0]


def test_the_measures_choose_different_first_merges():
    frequency = first_merge(THREE, "frequency")
    assert (frequency.pair, frequency.score) == (("a", "b"), 21)
    assert (frequency.types, frequency.wf, frequency.L, frequency.R) == (2, 21, 1, 2)

    frq = first_merge(THREE, "frq")
    assert (frq.pair, frq.score) == (("f", "g"), 4)
    assert (frq.occ, frq.wf) == (8, 8)

    av = first_merge(THREE, "av")
    assert (av.pair, av.score, av.L, av.R) == (("f", "g"), 4, 4, 4)

    # frq x wf: a b has 2 x 21, f g 4 x 8.  av x wf: a b has 1 x 21, f g 4 x 8.
    weighted = first_merge(THREE, "frq-weighted")
    assert (weighted.pair, weighted.score) == (("a", "b"), 42)
    weighted = first_merge(THREE, "av-weighted")
    assert (weighted.pair, weighted.score) == (("f", "g"), 32)


def test_description_length_gain_by_hand():
    """ab x4, cab x1, marker its own symbol: a b . a b . a b . a b . c a b .

    n = 4 * 3 + 4 = 16; c(a) = c(b) = c(.) = 5, c(c) = 1. Merging (a, b), m = 5, and appending it
    leaves n' = 16 - 5 + 3 = 14 symbols: ab . ab . ab . ab . c ab . | a b, with c'(a) = c'(b) = 1,
    c'(ab) = 5, c(.) = 5, c(c) = 1 and the delimiter 1.
    DL  = 16 log 16 - 3 * 5 log 5 = 64 - 34.829 = 29.171 bits
    DL' = 14 log 14 - 2 * 5 log 5 = 53.303 - 23.219 = 30.083 bits
    """
    _, steps = learn_with_trace({"ab": 4, "cab": 1}, 1, measure="dlg", version="0.1")
    best = steps[0]
    before = 16 * math.log2(16) - 3 * 5 * math.log2(5)
    after = 14 * math.log2(14) - 2 * 5 * math.log2(5)
    # (b, .) has the same counts as (a, b), and so the same gain; the greater pair wins.
    assert best.pair == ("b", "</w>")
    assert (best.c_a, best.c_b, best.n, best.m) == (5, 5, 16, 5)
    assert best.score == round((before - after) * 256) / 256


def description_length(symbols):
    counts = {symbol: symbols.count(symbol) for symbol in set(symbols)}
    return len(symbols) * math.log2(len(symbols)) - sum(c * math.log2(c) for c in counts.values())


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.text("ab", min_size=1, max_size=8), st.integers(1, 4), min_size=1, max_size=6
    )
)
def test_description_length_gain_equals_its_definition(counts):
    """DL(X) - DL(X[r -> s] (+) s) on the corpus itself, expanded and rewritten."""
    words = [reference.base_symbols(word, "0.2") for word, n in counts.items() for _ in range(n)]
    frequencies = [1] * len(words)
    pairs = reference.find_pairs(words, frequencies)
    if not pairs:
        return
    stats = reference.statistics(pairs, words, frequencies, frequencies, get_measure("dlg"))
    before = description_length([symbol for word in words for symbol in word])
    for pair, gain in zip(pairs, get_measure("dlg").score(stats)):
        rewritten = [["new symbol" if s == "".join(pair) else s for s in reference.replace_pair(word, pair)]
                     for word in words]  # fmt: skip
        after = [symbol for word in rewritten for symbol in word] + ["delimiter", *pair]
        assert gain == pytest.approx((before - description_length(after)) * 256, abs=0.5001)


def test_dlg_average_divides_by_the_replacements():
    """As above, a b . a b . a b . a b . c a b .; (c, a) is replaced once; no pair starts with `.`."""
    options = {"measure": "dlg-average", "version": "0.1", "min_frequency": 1}
    _, steps = learn_with_trace({"ab": 4, "cab": 1}, 1, **options)
    best = steps[0]
    gain = 16 * math.log2(16) - 5 * math.log2(5) - 14 * math.log2(14)
    assert best.pair == ("b", "</w>")
    assert best.score == pytest.approx(gain / 5, abs=1 / 512 / 5)


def test_dlg_average_is_compared_exactly_beyond_128_bits():
    """Averages closer than a double can resolve, whose cross products exceed 2^127."""
    measure = get_measure("dlg-average")
    counts = {"the": 3_000_000_000, "then": 2**59, "hen": 2**58, "he": 7, "xy": 2**58, "zxy": 5}
    options = {"measure": measure.name, "min_frequency": 1}
    assert learn_bpe(counts, 20, **options).merges == reference.learn(counts, 20, **options)


def test_dlg_counts_change_what_is_counted():
    counts = {"aab": 50, "acd": 1, "bcd": 1, "ecd": 1, "fcd": 1}
    assert first_merge(counts, "dlg", dlg_counts="tokens", min_frequency=1).n == 50 * 4 + 16
    assert first_merge(counts, "dlg", dlg_counts="types", min_frequency=1).n == 5 * 4
    assert first_merge(counts, "dlg", dlg_counts="types", min_frequency=1).pair == ("c", "d")


# --- user-defined measures -------------------------------------------------------------------------


class NormalizedFrequency(Measure):
    """The example of docs/new-measure.md: occ squared over c(a) c(b)."""

    reads = frozenset({"occ", "c"})

    def score(self, stats):
        return stats.occ**2 / (stats.c_a * stats.c_b)


class LogLikelihoodShare(Measure):
    """Reads n; falls as n falls."""

    reads = frozenset({"m", "n"})
    falls_with_n = True

    def score(self, stats):
        return stats.m * np.log(1.0 + stats.n)


class AgainstN(Measure):
    """Rises as n falls, so that every merge rescores all pairs."""

    reads = frozenset({"occ", "n", "types"})

    def score(self, stats):
        return (stats.occ % 5 + stats.types) / (stats.n + stats.occ)


class Everything(Measure):
    reads = goodness.STATISTICS

    def score(self, stats):
        return (
            stats.L * 3 + stats.R + stats.wf * 0.5 + stats.types - stats.occ / stats.n
            + np.where(stats.same, 2.0, 0.0) + stats.m / stats.c_a - stats.c_b
        )  # fmt: skip


class Neighbours(Measure):
    reads = frozenset({"L", "R"})

    def score(self, stats):
        return -np.abs(stats.L - stats.R) + stats.L / 7


USERS = (NormalizedFrequency, LogLikelihoodShare, AgainstN, Everything, Neighbours)
for cls in USERS:
    register_measure(f"test-{cls.__name__}")(cls)


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.text("ab", min_size=1, max_size=14), st.integers(1, 7), min_size=1, max_size=10
    ),
    st.sampled_from(USERS),
    st.sampled_from(("0.1", "0.2", "byte-1")),
    st.sampled_from(("greatest", "least", "first")),
    st.integers(1, 3),
)
def test_user_defined_measures_equal_the_reference(counts, cls, version, tie_break, min_frequency):
    options = {"version": version, "tie_break": tie_break, "min_frequency": min_frequency}
    unit = "byte" if version == "byte-1" else "char"
    table = learn_bpe(counts, 25, measure=cls(), unit=unit, **options)
    assert table.merges == reference.learn(counts, 25, measure=cls(), **options)
    assert table.metadata["measure"] == f"test-{cls.__name__}"


def test_a_measure_module(tmp_path):
    module = tmp_path / "my_measures.py"
    module.write_text(
        "from fairseq_subword_ext.subword.goodness import Measure, register_measure\n"
        "@register_measure('test-shortest')\n"
        "class Shortest(Measure):\n"
        "    reads = frozenset({'wf'})\n"
        "    def score(self, stats):\n"
        "        return -stats.wf\n"
    )
    load_measure_module(module)
    load_measure_module(module)  # again, as in a notebook
    counts = {"ab": 5, "cd": 2}
    assert learn_bpe(counts, 1, measure="test-shortest").merges == [("c", "d</w>")]


def test_names_are_unique():
    with pytest.raises(ValueError, match="already"):
        register_measure("frq")(NormalizedFrequency)
    with pytest.raises(ValueError, match="frequency"):
        get_measure("test-unknown")

    class Misspelled(Measure):
        reads = frozenset({"occurrences"})

    with pytest.raises(ValueError, match="occurrences"):
        register_measure("test-misspelled")(Misspelled)


@pytest.mark.parametrize(
    "scores, message",
    [
        (lambda stats: stats.occ[:1], "one score per pair"),
        (lambda stats: stats.occ * np.nan, "NaN"),
        (lambda stats: 1.0, "one score per pair"),
    ],
)
def test_an_invalid_measure_is_named(scores, message):
    class Wrong(Measure):
        reads = frozenset({"occ"})

        def score(self, stats):
            return scores(stats)

    Wrong.name = "test-wrong"
    with pytest.raises(ValueError, match=message):
        learn_bpe({"abc": 3, "abd": 2}, 2, measure=Wrong())


def test_an_error_in_a_measure_propagates():
    class Broken(Measure):
        reads = frozenset({"occ"})

        def score(self, stats):
            return stats.wf + 1  # not in reads, so it is None

    with pytest.raises(TypeError):
        learn_bpe({"abc": 3}, 2, measure=Broken())


def test_the_formulas_on_arrays():
    stats = PairStatistics(
        occ=np.array([4, 9]), types=np.array([3, 1]), wf=np.array([4, 9]), L=np.array([2, 5]), R=np.array([3, 1])
    )  # fmt: skip
    expected = {
        "frequency": [4, 9],
        "frq": [3, 1],
        "av": [2, 1],
        "frq-weighted": [12, 9],
        "av-weighted": [8, 9],
    }
    for name, scores in expected.items():
        assert get_measure(name).score(stats).tolist() == scores


# --- the paper -------------------------------------------------------------------------------------


def german_english_names():
    """Country, language and script names of pycountry with their German translations."""
    pycountry = pytest.importorskip("pycountry")
    gettext = pytest.importorskip("gettext")
    lines = []
    for domain, table in (
        ("iso3166-1", pycountry.countries),
        ("iso3166-2", pycountry.subdivisions),
        ("iso639-3", pycountry.languages),
        ("iso15924", pycountry.scripts),
        ("iso4217", pycountry.currencies),
    ):
        try:
            german = gettext.translation(domain, pycountry.LOCALES_DIR, languages=["de"])
        except FileNotFoundError:
            continue
        for entry in table:
            lines += [entry.name, german.gettext(entry.name)]
    return lines


@pytest.mark.parametrize("merges", [1000, 3000])
def test_figure_2_of_wu_and_zhao(merges):
    """At equal merges, the share of word tokens that stay split is DLG' < AV' < FRQ'."""
    counts = {}
    for line in german_english_names():
        for word in line.split(" "):
            if word:
                counts[word] = counts.get(word, 0) + 1
    split = {}
    for measure in ("dlg-weighted", "av-weighted", "frq-weighted"):
        segmenter = Segmenter(learn_bpe(counts, merges, measure=measure))
        words = list(counts)
        pieces = segmenter.segment_lines(words)
        split[measure] = sum(counts[w] for w, line in zip(words, pieces) if " " in line)
    assert split["dlg-weighted"] < split["av-weighted"] < split["frq-weighted"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "measure",
    ["frequency", "frq", "av", "dlg", "frq-weighted", "av-weighted", "dlg-weighted", "dlg-average"],
)
@pytest.mark.parametrize("version", ["0.1", "0.2", "byte-1"])
def test_native_equals_reference_on_real_text(measure, version):
    """Every step is the true arg-max: a few thousand merges on names in two languages."""
    counts = {}
    for line in german_english_names()[:700]:
        for word in line.split(" "):
            if word:
                counts[word] = counts.get(word, 0) + 1
    unit = "byte" if version == "byte-1" else "char"
    learned = learn_bpe(counts, 2000, measure=measure, version=version, unit=unit).merges
    assert learned == reference.learn(counts, 2000, measure=measure, version=version)
    assert len(learned) > 500
