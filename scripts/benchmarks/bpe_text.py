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


def unsegmented_text(path: Path, megabytes: float, seed: int = 2) -> None:
    """Writes text like Chinese and Japanese: words of one to four characters without spaces."""
    draw = random.Random(seed)
    characters = [chr(code) for code in range(0x4E00, 0x4E00 + 4000)]
    draw.shuffle(characters)
    character = Zipf(draw, characters)
    words = ["".join(character(size)) for size in draw.choices((1, 2, 3, 4), (4, 8, 2, 1), k=60_000)]  # fmt: skip
    word = Zipf(draw, words)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        written = 0
        while written < megabytes * 1e6:
            line = "".join(word(draw.randint(5, 30))) + "。\n"
            out.write(line)
            written += len(line.encode("utf-8"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("words", "unsegmented"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--megabytes", type=float, default=33.0)
    arguments = parser.parse_args()
    make = words_text if arguments.kind == "words" else unsegmented_text
    make(arguments.path, arguments.megabytes)
