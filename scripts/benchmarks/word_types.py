"""Generates word counts with any number of types, for the benchmark of large vocabularies.

Words come from a second-order Markov chain over the German, English, Russian, Turkish and Czech names in the
package pycountry. Counts follow Zipf's law, N / rank, so that half of the N types occur once, as in running
text.
"""

import argparse
import gettext
from pathlib import Path
from typing import List

import numpy as np
import pycountry

LANGUAGES = ("de", "ru", "tr", "cs")
LONGEST = 24  # characters; longer chains are discarded
END = 0


def real_words() -> List[str]:
    """The distinct words of pycountry's names, in a fixed order."""
    words = {}
    for domain, table in (
        ("iso3166-1", pycountry.countries),
        ("iso3166-2", pycountry.subdivisions),
        ("iso639-3", pycountry.languages),
    ):
        for language in ("en", *LANGUAGES):
            names = [entry.name for entry in table]
            if language != "en":
                catalogue = gettext.translation(
                    domain, pycountry.LOCALES_DIR, languages=[language], fallback=True
                )
                names = [catalogue.gettext(name) for name in names]
            for name in names:
                words.update(dict.fromkeys(name.lower().split()))
    return list(words)


class LetterChain:
    """Draws words letter by letter, each letter given the two before it, as in real words."""

    def __init__(self, words: List[str]):
        self.letters = np.array(["", *sorted(set("".join(words)))])
        size = len(self.letters)
        index = {letter: number for number, letter in enumerate(self.letters)}
        follows = np.zeros((size * size, size))
        for word in words:
            before, last = END, END
            for letter in [*(index[letter] for letter in word), END]:
                follows[before * size + last, letter] += 1
                before, last = last, letter
        totals = follows.sum(axis=1, keepdims=True)
        # Row s rises from s to s + 1, so that one search in the flattened table serves all states.
        climb = np.cumsum(follows / np.maximum(totals, 1), axis=1)
        self._cumulative = (climb + np.arange(size * size)[:, None]).ravel()

    def draw(self, number: int, rng: np.random.Generator) -> np.ndarray:
        """Returns words as rows of letter indices, ending in END; words that are too long are dropped."""
        size = len(self.letters)
        rows = np.zeros((number, LONGEST + 1), dtype=np.uint16)
        before = np.zeros(number, dtype=np.int64)
        last = np.zeros(number, dtype=np.int64)
        running = np.arange(number)
        for column in range(LONGEST + 1):
            state = before[running] * size + last[running]
            at = np.searchsorted(self._cumulative, state + rng.random(len(running)), side="right")
            letter = np.minimum(at - state * size, size - 1)
            rows[running, column] = letter
            before[running], last[running] = last[running], letter
            running = running[letter != END]
        keep = np.ones(number, dtype=bool)
        keep[running] = False
        keep &= rows[:, 0] != END
        return rows[keep, :LONGEST]


def word_types(number: int, rng: np.random.Generator) -> np.ndarray:
    """Draws ``number`` distinct words, mostly short ones first, since frequent words are short."""
    chain = LetterChain(real_words())
    found = np.zeros((0, LONGEST), dtype=np.uint16)
    while len(found) < number:
        more = np.concatenate([found, chain.draw(max(number // 2, 1000), rng)])
        whole = np.ascontiguousarray(more).view(np.dtype((np.void, more.itemsize * LONGEST)))
        _, first = np.unique(whole.ravel(), return_index=True)
        found = more[np.sort(first)]
    found = found[:number]
    lengths = (found != END).sum(axis=1)
    return chain.letters[found[np.argsort(lengths + rng.random(number) * 6)]]


def write_counts(path: Path, number: int, seed: int) -> None:
    """Writes ``word count`` lines for ``learn-bpe --dict-input``."""
    words = word_types(number, np.random.default_rng(seed))
    counts = np.maximum(number // np.arange(1, number + 1), 1)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for row, count in zip(words, counts):
            out.write(f"{''.join(row)} {count}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--types", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    write_counts(arguments.path, arguments.types, arguments.seed)
