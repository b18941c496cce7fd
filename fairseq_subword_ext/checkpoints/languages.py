"""Finds the language pair of a model, which its checkpoint records only if -s and -t were given.

Without them Fairseq infers the pair from the names of the training data, and so does this module. If
only the dictionaries are left, their sizes may tell which one is the source's.
"""

import itertools
import re
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from fairseq_subword_ext.checkpoints.model_parts import ModelParts
from fairseq_subword_ext.checkpoints.packed_checkpoint import option, set_where_present

X_EN_TASKS = ("multilingual_x_en", "transfer_x_en")
X_EN_NAMES = ("en", "en")  # one dictionary for both sides, under its English name

# fairseq-preprocess's file names.
DATA = re.compile(r"[^.]+\.([^.-]+)-([^.-]+)\.(?:\1|\2)(?:\.(?:idx|bin))?")
DICTIONARY = re.compile(r"dict\.([^.]+)\.txt")
EMBEDDINGS = {"source": "encoder.embed_tokens.weight", "target": "decoder.embed_tokens.weight"}
SPECIAL_SYMBOLS = 4  # Fairseq adds these to the symbols in the file

Pair = Tuple[str, str]


def record_pair(states: List[Dict[str, Any]], parts: ModelParts, folders: List[Path]) -> Pair:
    """Finds the pair and records it in the configuration of every checkpoint that lacks it.

    Args:
        states: checkpoints with their configuration as plain dictionaries; modified in place.
        parts: names the checkpoints and optionally the pair.
        folders: hold the dictionaries and possibly the data.

    Returns:
        The languages of the model's dictionaries, source first.

    Raises:
        ValueError: If the pair is neither recorded nor given and cannot be inferred, or if two sources
            contradict each other.
    """
    given = (parts.source_lang, parts.target_lang)
    task = states[0]["cfg"]["task"]
    name = option(task, "_name")
    if name in X_EN_TASKS:
        if any(given):
            raise ValueError(
                f"{parts.checkpoints[0]}: a model of the task {name} has one dictionary for all its "
                "languages: leave out -s and -t"
            )
        return X_EN_NAMES
    options = vars(task) if not isinstance(task, dict) else task
    if not {"source_lang", "target_lang"} <= set(options):
        raise ValueError(
            f"{parts.checkpoints[0]}: the task {name} has no source and target language: only translation "
            "models can be packed"
        )
    pair = agreed_pair(states, parts.checkpoints, given)
    if pair is None:
        pair = inferred_pair(folders, states[0]["model"], parts.checkpoints[0])
    for state in states:
        for section in (state["cfg"]["task"], state["cfg"]["model"]):
            if section is not None:
                set_where_present(section, "source_lang", pair[0])
                set_where_present(section, "target_lang", pair[1])
    return pair


def agreed_pair(
    states: List[Dict[str, Any]],
    checkpoints: List[Path],
    given: Tuple[Optional[str], Optional[str]],
) -> Optional[Pair]:
    """The pair that the command line and the checkpoints name; None if none does.

    Raises:
        ValueError: If they disagree, or the command line names only one language.
    """
    if any(given) and not all(given):
        raise ValueError("give both -s and -t, or neither")
    named = [("-s and -t", given)] if all(given) else []
    for path, state in zip(checkpoints, states):
        task = state["cfg"]["task"]
        recorded = (option(task, "source_lang"), option(task, "target_lang"))
        if all(recorded):  # Fairseq infers both if one is missing
            named.append((str(path), recorded))
    for place, pair in named[1:]:
        if pair != named[0][1]:
            raise ValueError(
                f"{place} translates from {pair[0]} into {pair[1]}, but {named[0][0]} from "
                f"{named[0][1][0]} into {named[0][1][1]}"
            )
    return named[0][1] if named else None


def inferred_pair(folders: List[Path], model: Dict[str, Any], checkpoint: Path) -> Pair:
    """Infers the pair from the names of the data, or else from the sizes of the dictionaries.

    Raises:
        ValueError: If neither leaves exactly one candidate.
    """
    found = first_found(pairs_of_data, folders)
    if not found:
        found = first_found(lambda folder: pairs_of_dictionaries(folder, model), folders)
    if len(found) != 1:
        where = " and ".join(map(str, folders)) or "no folder"
        candidates = ", ".join(sorted(" to ".join(pair) for pair in found)) or "none"
        raise ValueError(
            f"{checkpoint} does not record its source and target language, and {where} does not settle it "
            f"(possible: {candidates}): give -s and -t"
        )
    return found.pop()


def first_found(find: Callable[[Path], Set[Pair]], folders: List[Path]) -> Set[Pair]:
    """The result for the first folder where anything is found."""
    return next(filter(None, map(find, folders)), set())


def pairs_of_data(folder: Path) -> Set[Pair]:
    """The pairs in the names of binarized or raw data."""
    matches = (DATA.fullmatch(path.name) for path in folder.glob("*"))
    return {match.groups() for match in matches if match}


def pairs_of_dictionaries(folder: Path, model: Dict[str, Any]) -> Set[Pair]:
    """The pairs of dictionaries whose sizes match the model's embeddings."""
    matches = (DICTIONARY.fullmatch(path.name) for path in folder.glob("*"))
    languages = [match[1] for match in matches if match]
    return {
        pair
        for pair in itertools.permutations(languages, 2)
        if all(
            fits(folder / f"dict.{language}.txt", model.get(EMBEDDINGS[side]))
            for side, language in zip(EMBEDDINGS, pair)
        )
    }


def fits(dictionary: Path, embeddings: Any) -> bool:
    """Whether a dictionary has as many symbols as an embedding table has rows."""
    if embeddings is None:
        return True
    with dictionary.open("rb") as stream:
        return sum(1 for _ in stream) + SPECIAL_SYMBOLS == len(embeddings)
