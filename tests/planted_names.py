"""A made parallel text with planted names, for back-off dictionaries.

A small language without ambiguity: its words go one by one, verbs to the end. Names are rare. Most
have another form in the target language, as names in inflecting languages and other scripts have;
some stay as they are; and the test text has names that training never shows, which stay too.
"""

import random
from dataclasses import dataclass
from typing import List, Tuple

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


@dataclass
class PlantedNames:
    """Sentences as words: (source, target, alignment as pairs of positions) for each."""

    train: List[Tuple[List[str], List[str], List[Tuple[int, int]]]]
    test: List[Tuple[List[str], List[str], List[Tuple[int, int]]]]

    def text(self, split: str, side: int) -> str:
        """The lines of one side, 0 or 1."""
        return "".join(" ".join(pair[side]) + "\n" for pair in getattr(self, split))


def make_corpus(lines: int = 2000, test_lines: int = 200, names: int = 400, seed: int = 1):
    """Makes the text; every sentence has one name, every name of training about five lines."""
    draw = random.Random(seed)
    spell = _distinct(draw)
    nouns = {spell(2): spell(2) for _ in range(16)}
    verbs = {spell(2): spell(2) for _ in range(8)}
    planted = [spell(3).capitalize() for _ in range(names)]
    forms = {name: name if i % 4 == 0 else f"{name[:-1]}ovi" for i, name in enumerate(planted)}
    unseen = {name: name for name in (spell(3).capitalize() for _ in range(names // 8))}

    def sentence(names_and_forms):
        words = draw.choices(sorted(nouns), k=draw.randint(2, 5))
        name = draw.choice(sorted(names_and_forms))
        words.insert(draw.randint(0, len(words)), name)
        words.insert(1, draw.choice(sorted(verbs)))
        order = [i for i in range(len(words)) if i != 1] + [1]
        lexicon = {**nouns, **verbs, **names_and_forms}
        target = [lexicon[words[i]] for i in order]
        return words, target, [(origin, place) for place, origin in enumerate(order)]

    train = [sentence(forms) for _ in range(lines)]
    test = [sentence(unseen if i % 5 == 0 else forms) for i in range(test_lines)]
    return PlantedNames(train, test)


def _distinct(draw: random.Random):
    seen = set()

    def spell(syllables: int) -> str:
        while True:
            word = "".join(draw.choice(CONSONANTS) + draw.choice(VOWELS) for _ in range(syllables))
            if word not in seen:
                seen.add(word)
                return word

    return spell
