"""How evenly tokens are used, computed by hand and by tokenization-scorer."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairseq_subword_ext.reports.intrinsic import (
    Evenness,
    evenness,
    gini,
    percentile_frequency,
    renyi_entropy,
)

# Values of tokenization-scorer 1.1.8 (released by Zouhar et al. 2023) with power=2.5: renyi_entropy, renyi
# and percentile_freq. The first two texts are from its own tests.
SCORED = {
    "pick @@ed pick @@l @@ed pick @@les": (
        1.653012966845049, 0.8265064834225245, 0.857142857142857,
    ),
    "pick @@e @@d pick @@l @@e @@d pick @@l @@e @@s": (
        2.1372977167241545, 0.9204840242168808, 0.9090909090909092,
    ),
    "a b": (1.0, 1.0, 0.5),
    "a a b": (0.8183771138157927, 0.8183771138157927, 0.6666666666666666),
}  # fmt: skip


@pytest.mark.parametrize("text", SCORED)
def test_values_of_tokenization_scorer(text):
    assert evenness(Counter(text.split())) == pytest.approx(SCORED[text], rel=1e-14)


def test_a_longer_text_by_tokenization_scorer():
    """Token n occurs 1,000 / n times: 1,000 types, 7,069 tokens."""
    counts = {str(n): 1000 // n for n in range(1, 1001)}
    assert (len(counts), sum(counts.values())) == (1000, 7069)
    expected = 4.4207391593912355, 0.44359169666104514, 0.4125053048521715
    assert evenness(counts) == pytest.approx(expected, rel=1e-14)


def test_by_hand():
    # p = 3/4 and 1/4: log2((3/4)^2.5 + (1/4)^2.5) / -1.5.
    moment = (3**2.5 + 1) / 4**2.5
    assert renyi_entropy([3, 1]) == pytest.approx(math.log2(moment) / -1.5)
    # Order 2: minus the logarithm of the probability that two tokens are equal.
    assert renyi_entropy([3, 1], alpha=2) == pytest.approx(-math.log2(10 / 16))
    # Of ten types, numbers 1 to 7, counted from 0.
    assert percentile_frequency(range(10, 0, -1), 0.1, 0.8) == sum(range(3, 10)) / 55


def test_undefined_values():
    assert evenness({}) == Evenness(None, None, None)
    assert evenness({"a": 5}) == Evenness(0.0, None, 0.0)


@given(st.integers(2, 300), st.integers(1, 9))
def test_types_that_are_all_equally_frequent(types, times):
    found = evenness({str(n): times for n in range(types)})
    assert found.renyi_entropy == pytest.approx(math.log2(types))
    assert found.renyi_efficiency == pytest.approx(1)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20).filter(any))
def test_gini_by_its_definition(costs):
    differences = sum(abs(one - other) for one in costs for other in costs)
    mean = sum(costs) / len(costs)
    assert gini(costs) == pytest.approx(differences / (2 * len(costs) ** 2 * mean), abs=1e-9)


def test_gini_by_hand():
    assert gini([7, 7, 7]) == 0
    assert gini([0, 0, 0, 5]) == 0.75  # one of four has all
    assert gini([1, 3]) == 0.25
    assert gini([]) is None
    assert gini([0, 0]) is None
