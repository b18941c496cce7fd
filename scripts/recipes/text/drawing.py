"""Drawing validation and test sets out of one corpus."""

import hashlib
import random
from typing import List, Sequence, TypeVar

Item = TypeVar("Item")


def fraction(seed: int, *parts: str) -> float:
    """A number in [0, 1) that depends on the arguments alone, on every machine."""
    text = "\t".join((str(seed), *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48


def draw_sets(items: Sequence[Item], sizes: Sequence[int], seed: int) -> List[List[Item]]:
    """Draws disjoint random sets; what is left comes last. Each keeps the order of the corpus.

    The same items, sizes and seed give the same sets on every platform.

    Raises:
        ValueError: If the sets would leave fewer items than they take.
    """
    wanted = sum(sizes)
    if 2 * wanted > len(items):
        raise ValueError(
            f"cannot draw {' + '.join(map(str, sizes))} of {len(items)} pairs: less than half would "
            "remain for training; draw fewer, or give more text"
        )
    drawn = random.Random(seed).sample(range(len(items)), wanted)
    owner = {}
    for number, size in enumerate(sizes):
        for index in drawn[:size]:
            owner[index] = number
        del drawn[:size]
    sets: List[List[Item]] = [[] for _ in range(len(sizes) + 1)]
    for index, item in enumerate(items):
        sets[owner.get(index, len(sizes))].append(item)
    return sets
