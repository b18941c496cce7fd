"""Samples the pairs of an epoch, so that each language gets its share."""

import math
import zlib
from typing import Dict, Mapping, Sequence

import numpy as np


def parse_weights(text: str, languages: Sequence[str]) -> Dict[str, float]:
    """Parses ``--sampling-weights``, such as ``si=3,de=0.5``.

    Raises:
        ValueError: If an entry is not LANGUAGE=NUMBER, the number is negative or not finite, or
            the language is not among ``languages`` or is named twice.
    """
    weights: Dict[str, float] = {}
    for entry in text.split(",") if text else ():
        language, _, number = entry.strip().partition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if not 0 <= weight < math.inf:
            raise ValueError(
                f"--sampling-weights: found {entry!r}, expected LANGUAGE=WEIGHT with a weight of 0 "
                "or more, as in si=3,de=0.5"
            )
        if language not in languages:
            raise ValueError(
                f"--sampling-weights: no training data for {language!r}; there is data for "
                f"{', '.join(languages)}"
            )
        if language in weights:
            raise ValueError(f"--sampling-weights names {language!r} twice")
        weights[language] = weight
    return weights


class LanguageSampler:
    """Draws the pairs of an epoch so that language l has a share proportional to w_l * n_l^(1/T).

    An epoch has as many pairs as the corpus. The pairs of a language form a circle in random order, and
    each epoch starts where the last one stopped. So no pair is drawn twice before all have been drawn once,
    within and across epochs, and the epoch's number is the only state.

    Args:
        sizes: language -> number of pairs, in the order of the dataset.
        temperature: T; 1 is proportional to the data, larger values make languages more equal.
        weights: w_l; 1 for languages not listed.
        seed: seed of the order.

    Raises:
        ValueError: If T is not positive or every share is zero.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        temperature: float = 1.0,
        weights: Mapping[str, float] = {},
        seed: int = 1,
    ):
        if not temperature > 0:
            raise ValueError(f"--sampling-temperature must be greater than 0, not {temperature}")
        self.languages = list(sizes)
        self.sizes = np.array([sizes[language] for language in self.languages], dtype=np.int64)
        self.seed = seed
        weight = np.array([weights.get(language, 1.0) for language in self.languages])
        # Relative to the largest language, so that a small T cannot overflow.
        shares = weight * (self.sizes / self.sizes.max()) ** (1 / temperature)
        if not shares.sum() > 0:
            raise ValueError("--sampling-weights leaves no language to train on")
        self.counts = _round_to_total(shares / shares.sum() * self.sizes.sum())

    def draw(self, epoch: int) -> np.ndarray:
        """The pairs of an epoch (counted from 1) as int64 indices into the dataset, grouped by language."""
        offsets = np.cumsum(self.sizes) - self.sizes
        drawn = []
        for language, size, count, offset in zip(self.languages, self.sizes, self.counts, offsets):
            # Seeded by name, so that adding a language does not change the order of the others.
            generator = np.random.default_rng([self.seed, zlib.crc32(language.encode())])
            order = generator.permutation(size).astype(np.int64)
            drawn.append(offset + order[np.arange((epoch - 1) * count, epoch * count) % size])
        return np.concatenate(drawn)


def _round_to_total(expected: np.ndarray) -> np.ndarray:
    """Rounds to integers with the same sum, by largest remainder."""
    counts = np.floor(expected).astype(np.int64)
    missing = round(expected.sum()) - counts.sum()
    by_remainder = np.argsort(counts - expected, kind="stable")
    counts[by_remainder[:missing]] += 1
    return counts
