"""Splits names into training, validation and test lines by hashes of the English names.

The split of a name depends only on the name and the seed, never on the order of reading, so a corpus of
fewer languages is split in the same way.
"""

import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from typing import Dict, List, Set

from recipes.names_x_en.sources import Pair
from recipes.text.drawing import fraction

# split -> language -> pairs
Corpus = Dict[str, Dict[str, List[Pair]]]


@dataclass(frozen=True)
class Sizes:
    """The sizes of the held-out sets.

    Attributes:
        test_share: share of the English names held out of training for the test set.
        valid_share: the same for the validation set.
        test_lines: maximum number of test lines per language.
        valid_lines: maximum number of validation lines per language.
        seen_lines: maximum number of lines per language in the second test set.
    """

    test_share: float = 0.03
    valid_share: float = 0.015
    test_lines: int = 60
    valid_lines: int = 30
    seen_lines: int = 30


def name_key(english: str) -> str:
    """A key that all spellings of a name share.

    Case, accents, punctuation and word order do not matter: "Arabic, Egyptian" and "Egyptian Arabic" have
    the same key. All names with the same key go to the same split; otherwise a test name could occur in
    training in another form.
    """
    plain = unicodedata.normalize("NFKD", english.casefold())
    letters = (
        character if character.isalnum() else " "
        for character in plain
        if not unicodedata.combining(character)
    )
    words = "".join(letters).split()
    return " ".join(sorted(words)) or english.casefold()


def split_parent(names: Dict[str, List[Pair]], sizes: Sizes, seed: int) -> Corpus:
    """Splits the languages of the parent model into train, valid, test and test_seen.

    - test, valid: names that training has in no language. Each occurs once per language, even if its
      sources spell it in several ways, and not at all if the same source text is in training with another
      English name, since then the reference is not the only correct answer.
    - test_seen: names that training has in other languages, but not in this one.
    - train: everything else. Pairs of held-out names beyond the line limits of test and valid are in no
      split.

    Args:
        names: usable pairs by language.
    """
    fates = {language: _by_fate(pairs, sizes, seed) for language, pairs in names.items()}
    seen = _draw_seen({code: parts["train"] for code, parts in fates.items()}, sizes, seed)
    corpus: Corpus = {"train": {}, "valid": {}, "test": {}, "test_seen": {}}
    for language, parts in fates.items():
        withheld = {name_key(pair.english) for pair in seen[language]}
        train = [pair for pair in parts["train"] if name_key(pair.english) not in withheld]
        sources = {pair.source for pair in train}
        corpus["train"][language] = _shuffled(language, train, seed)
        for split, pairs, limit in (
            ("valid", parts["valid"], sizes.valid_lines),
            ("test", parts["test"], sizes.test_lines),
            ("test_seen", seen[language], sizes.seen_lines),
        ):
            fair = [pair for pair in pairs if pair.source not in sources]
            corpus[split][language] = _sample(language, fair, limit, seed)
    return corpus


def split_transfer(language: str, pairs: List[Pair], seed: int) -> Corpus:
    """Splits the language that the parent never sees: about 85, 5 and 10 percent of its names.

    Its test names are in no other split of it. The parent's training data may have them in other
    languages: this is the knowledge to transfer.
    """
    sizes = Sizes(test_share=0.1, valid_share=0.05, test_lines=len(pairs), valid_lines=len(pairs))
    parts = _by_fate(pairs, sizes, seed)
    sources = {pair.source for pair in parts["train"]}
    corpus: Corpus = {"train": {language: _shuffled(language, parts["train"], seed)}}
    for split in ("valid", "test"):
        fair = [pair for pair in parts[split] if pair.source not in sources]
        corpus[split] = {language: _sample(language, fair, len(fair), seed)}
    return corpus


def _by_fate(pairs: List[Pair], sizes: Sizes, seed: int) -> Dict[str, List[Pair]]:
    """Groups pairs by the split of their English name, which is the same in all languages."""
    parts: Dict[str, List[Pair]] = {"train": [], "valid": [], "test": []}
    for pair in pairs:
        place = fraction(seed, "split", name_key(pair.english))
        if place < sizes.test_share:
            parts["test"].append(pair)
        elif place < sizes.test_share + sizes.valid_share:
            parts["valid"].append(pair)
        else:
            parts["train"].append(pair)
    return parts


def _draw_seen(train: Dict[str, List[Pair]], sizes: Sizes, seed: int) -> Dict[str, List[Pair]]:
    """Moves names from one language's training data to the second test set.

    A name is moved from at most one language, so that the others still have it.
    """
    languages_of: Dict[str, Set[str]] = defaultdict(set)
    for language, pairs in train.items():
        for pair in pairs:
            languages_of[pair.english].add(language)
    taken: Set[str] = set()
    drawn = {}
    for language in sorted(train):
        shared = [pair for pair in train[language] if len(languages_of[pair.english]) > 1]
        keys = {name_key(pair.english) for pair in shared} - taken
        ranked = sorted(keys, key=lambda key: (fraction(seed, "seen", language, key), key))
        chosen = set(ranked[: sizes.seen_lines])
        taken |= chosen
        drawn[language] = [pair for pair in shared if name_key(pair.english) in chosen]
    return drawn


def _shuffled(language: str, pairs: List[Pair], seed: int) -> List[Pair]:
    """A fixed random order, so that the first lines of a file are always a fair sample."""
    return sorted(pairs, key=lambda pair: (fraction(seed, "order", language, *pair), pair))


def _sample(language: str, pairs: List[Pair], limit: int, seed: int) -> List[Pair]:
    """The first ``limit`` pairs in the fixed order, at most one per English name."""
    chosen: Dict[str, Pair] = {}
    for pair in _shuffled(language, pairs, seed):
        chosen.setdefault(name_key(pair.english), pair)
    return list(chosen.values())[:limit]
