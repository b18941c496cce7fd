"""Generates texts for the benchmark from a seed: Zipfian words built from Zipfian syllables."""

import argparse
import random
from itertools import accumulate
from pathlib import Path
from typing import List

LATIN = "ptkmnsrlbdgvfzhjcxw", "aeiouyäö"
CYRILLIC = "птксмнрлбдгвзжчшхц", "аеиоуыюя"


class Zipf:
    """Draws items; the item of rank r has a probability proportional to 1 / (r + 3)."""

    def __init__(self, draw: random.Random, items: List[str]):
        self._draw = draw
        self._items = items
        self._cumulative = list(accumulate(1.0 / (rank + 3) for rank in range(len(items))))

    def __call__(self, number: int) -> List[str]:
        return self._draw.choices(self._items, cum_weights=self._cumulative, k=number)


def _types(draw: random.Random, number: int) -> List[str]:
    types = {}
    for consonants, vowels in (LATIN, CYRILLIC):
        syllables = [a + b + c for a in consonants for b in vowels for c in ("", "n", "r", "s")]
        draw.shuffle(syllables)
        syllable = Zipf(draw, syllables)
        while len(types) < number * (0.6 if consonants is LATIN[0] else 1.0):
            for size in draw.choices((1, 2, 3, 4, 5), (2, 6, 6, 3, 1), k=1000):
                types["".join(syllable(size))] = None
    shuffled = list(types)
    draw.shuffle(shuffled)
    # Frequent words are short.
    return sorted(shuffled, key=lambda word: len(word) + draw.random() * 6)


def words_text(path: Path, megabytes: float, seed: int = 1) -> None:
    """Writes text with spaces; 33 MB have about 280,000 word types."""
    draw = random.Random(seed)
    word = Zipf(draw, _types(draw, int(12_000 * megabytes)))
    with path.open("w", encoding="utf-8", newline="\n") as out:
        written = 0
        while written < megabytes * 1e6:
            words = word(15_000)
            for at in range(0, len(words), 15):
                line = " ".join(words[at : at + 15]) + " .\n"
                out.write(line)
                written += len(line.encode("utf-8"))


def write_counts(path: Path, number: int, seed: int) -> None:
    """Writes ``word count`` lines for ``learn-bpe --dict-input``: the word of rank r occurs NUMBER / r times.

    So half of the words occur once, as in running text.
    """
    types = _types(random.Random(seed), number)[:number]
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{word} {number // rank}\n" for rank, word in enumerate(types, start=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--megabytes", type=float, default=33.0)
    parser.add_argument(
        "--types", type=int, help="instead of a text, write this many distinct words with counts"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.types:
        write_counts(arguments.path, arguments.types, arguments.seed)
    else:
        words_text(arguments.path, arguments.megabytes, arguments.seed)
