"""Checks what a corpus of names guarantees."""

import re
from collections import defaultdict
from typing import Dict, List, Set

from recipes.names_x_en.sources import Pair
from recipes.names_x_en.splits import name_key

SINHALA = re.compile("[\u0d80-\u0dff]")


def check_parent(corpus: Dict[str, Dict[str, List[Pair]]]) -> List[str]:
    """Checks the parent's splits against each other.

    Returns:
        The findings, one sentence each, to be printed.

    Raises:
        ValueError: If a held-out name is in the training data of any language or in both held-out sets,
            if a name of test_seen is not in the training data of another language or is in that of its
            own, or if there is a Sinhala character.
    """
    names: Dict[str, Set[str]] = defaultdict(set)
    keys: Dict[str, Set[str]] = defaultdict(set)
    languages_of: Dict[str, Set[str]] = defaultdict(set)
    for split, languages in corpus.items():
        for language, pairs in languages.items():
            names[split].update(pair.english.casefold() for pair in pairs)
            keys[split].update(name_key(pair.english) for pair in pairs)
            if split == "train":
                for pair in pairs:
                    languages_of[pair.english].add(language)
                    if SINHALA.search(pair.source) or SINHALA.search(pair.english):
                        raise ValueError(f"Sinhala letters in the training data: {pair}")
    for one, other in (("test", "train"), ("valid", "train"), ("test", "valid")):
        common = sorted(names[one] & names[other]) or sorted(keys[one] & keys[other])
        if common:
            raise ValueError(f"{len(common)} names of {one} are also in {other}: {common[:5]}")
    for language, pairs in corpus["test_seen"].items():
        for pair in pairs:
            others = languages_of[pair.english] - {language}
            if not others or language in languages_of[pair.english]:
                raise ValueError(
                    f"test_seen.{language}-en has a name that must not be there: {pair}"
                )
    return [
        f"distinct English names: {len(names['train'])} in train, {len(names['valid'])} in valid, "
        f"{len(names['test'])} in test",
        "names of test or valid that training has in any language: 0 "
        "(ignoring case, accents, punctuation and word order)",
        "names of test_seen that training has in the same language: 0",
        "Sinhala characters (U+0D80-U+0DFF) in the parent's training data: 0",
    ]


def check_transfer(corpus: Dict[str, Dict[str, List[Pair]]], language: str) -> List[str]:
    """Checks that no name of the held-out language is in two splits.

    Raises:
        ValueError: If one is.
    """
    keys = {
        split: {name_key(pair.english) for pair in languages[language]}
        for split, languages in corpus.items()
    }
    for one, other in (("test", "train"), ("valid", "train"), ("test", "valid")):
        common = sorted(keys[one] & keys[other])
        if common:
            raise ValueError(
                f"{len(common)} names of transfer/{one} are also in {other}: {common[:5]}"
            )
    return [f"names of transfer/test or transfer/valid in transfer/train ({language}): 0"]
