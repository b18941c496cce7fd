"""The shares of the languages in an epoch, and the pairs that are drawn."""

import numpy as np
import pytest

from fairseq_subword_ext.data.language_sampling import LanguageSampler, parse_weights

SIZES = {"de": 900, "ru": 3, "si": 97}


@pytest.mark.parametrize(
    ("temperature", "weights", "expected"),
    [
        (1.0, {}, [900, 3, 97]),
        # n^(1/2): 30, 1.732, 9.849 of 41.581 in total
        (2.0, {}, [721, 42, 237]),
        (1e9, {}, [334, 333, 333]),
        # 900, 3 and 3 * 97 = 291 of 1,194
        (1.0, {"si": 3.0}, [754, 2, 244]),
        (1.0, {"de": 0.0}, [0, 30, 970]),
        (0.5, {}, [989, 0, 11]),
    ],
)
def test_shares(temperature, weights, expected):
    sampler = LanguageSampler(SIZES, temperature, weights)
    assert sampler.counts.tolist() == expected
    assert sum(expected) == sum(SIZES.values())


def test_a_temperature_near_zero_does_not_overflow():
    sampler = LanguageSampler({"de": 5_000_000, "si": 4_999_999}, temperature=1e-4)
    assert sampler.counts.sum() == 9_999_999 and sampler.counts[0] > sampler.counts[1]


def test_proportional_sampling_is_the_plain_concatenation():
    drawn = LanguageSampler(SIZES).draw(epoch=3)
    assert sorted(drawn.tolist()) == list(range(1000))


def test_no_pair_is_drawn_twice_before_all_of_its_language_are_drawn_once():
    sampler = LanguageSampler(SIZES, temperature=2.0)
    seen = np.zeros(1000, dtype=int)
    for epoch in range(1, 6):
        drawn = sampler.draw(epoch)
        within = np.bincount(drawn, minlength=1000)
        seen += within
        for first, size in ((0, 900), (900, 3), (903, 97)):
            assert np.ptp(within[first : first + size]) <= 1
            assert np.ptp(seen[first : first + size]) <= 1
    assert np.bincount(drawn, minlength=1000)[:900].max() == 1


def test_an_epoch_can_be_drawn_again_and_a_seed_changes_it():
    one = LanguageSampler(SIZES, 2.0, seed=5)
    again = LanguageSampler(SIZES, 2.0, seed=5)
    one.draw(1)
    assert np.array_equal(one.draw(4), again.draw(4))
    assert not np.array_equal(one.draw(4), one.draw(5))
    assert not np.array_equal(one.draw(4), LanguageSampler(SIZES, 2.0, seed=6).draw(4))


def test_another_language_does_not_change_the_order_within_a_language():
    alone = LanguageSampler({"si": 97}).draw(1)
    beside = LanguageSampler({"de": 900, "si": 97}).draw(1)
    assert np.array_equal(alone, beside[900:] - 900)


def test_parse_weights():
    assert parse_weights("si=3, de=0.5", ["de", "si"]) == {"si": 3.0, "de": 0.5}
    assert parse_weights("", ["de"]) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("si", "expected LANGUAGE=WEIGHT"),
        ("si=", "expected LANGUAGE=WEIGHT"),
        ("si=-1", "0 or more"),
        ("si=nan", "0 or more"),
        ("si=inf", "0 or more"),
        ("xx=1", "no training data for 'xx'; there is data for de, si"),
        ("si=1,si=2", "'si' twice"),
    ],
)
def test_invalid_weights_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_weights(text, ["de", "si"])


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_a_temperature_must_be_positive(temperature):
    with pytest.raises(ValueError, match="must be greater than 0, not"):
        LanguageSampler(SIZES, temperature)


def test_at_least_one_language_must_remain():
    with pytest.raises(ValueError, match="no language to train on"):
        LanguageSampler({"de": 3}, weights={"de": 0.0})
