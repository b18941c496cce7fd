"""Checks that checkpoints match each other and the data they are used with."""

from pathlib import Path
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple, Union

# The keys under which this package's tasks store their state in a checkpoint.
X_EN_STATE = "multilingual_x_en"
TEXT_STATE = "from_text"
# Fairseq's control symbols come first in every dictionary but are not in its file.
SPECIAL_SYMBOLS = 4
NOTHING = "nothing"


class Symbols(NamedTuple):
    """A dictionary's symbols, control symbols included, and the file they come from."""

    symbols: Sequence[str]
    source: Union[str, Path]


def compare_dictionaries(one: Symbols, other: Symbols, remedy: str) -> None:
    """Checks that two dictionaries assign the same ids to the same symbols.

    Comparing only sizes would accept a dictionary in another order, and the model would silently read
    the wrong words.

    Args:
        one, other: the dictionaries.
        remedy: what to do if they differ, for the message.

    Raises:
        ValueError: If they differ; the message names both and the first difference.
    """
    difference = first_difference(one.symbols, other.symbols)
    if difference is None:
        return
    position, left, right = difference
    place = (
        f"line {position - SPECIAL_SYMBOLS}" if position > SPECIAL_SYMBOLS else "control symbols"
    )
    raise ValueError(
        f"the dictionaries of {one.source} and {other.source} differ ({place}: {left} and {right}; "
        f"{len(one.symbols):,} and {len(other.symbols):,} entries): {remedy}"
    )


def first_difference(one: Sequence[str], other: Sequence[str]) -> Optional[Tuple[int, str, str]]:
    """Finds the first difference between two lists of symbols.

    Returns:
        The position, from 1, and both symbols there, quoted, with "nothing" at the end of a list;
        None if the lists are equal.
    """
    for position, (left, right) in enumerate(zip(one, other), start=1):
        if left != right:
            return position, repr(left), repr(right)
    if len(one) == len(other):
        return None
    position = min(len(one), len(other)) + 1
    ends = [
        repr(symbols[position - 1]) if position <= len(symbols) else NOTHING
        for symbols in (one, other)
    ]
    return position, ends[0], ends[1]


def compare_members(
    one_name: Union[str, Path],
    one: Dict[str, Any],
    other_name: Union[str, Path],
    other: Dict[str, Any],
) -> None:
    """Checks that two members of an ensemble take the same input and give the same output.

    All members are given the same ids. Fairseq checks nothing and silently averages models that expect
    different input.

    Args:
        one_name, other_name: names of the checkpoints, for the message.
        one, other: their ``task_state``. A model of Fairseq's own task records no dictionary and no
            positions, and reads no language token.

    Raises:
        ValueError: If their dictionaries, language tokens or positions differ.
    """
    first, second = one.get(X_EN_STATE, {}), other.get(X_EN_STATE, {})
    together = f"{one_name} and {other_name} cannot form an ensemble"
    marked = [bool(state.get("source_lang_token")) for state in (first, second)]
    if marked[0] != marked[1]:
        with_token, without = (one_name, other_name) if marked[0] else (other_name, one_name)
        raise ValueError(
            f"{together}: {with_token} was trained with --source-lang-token, {without} without"
        )
    if not first or not second:
        return
    symbols = [
        Symbols(state["symbols"].split("\n"), name)
        for state, name in ((first, one_name), (second, other_name))
    ]
    compare_dictionaries(*symbols, "they cannot form an ensemble")
    positions = [tuple(state["positions"]) for state in (first, second)]
    if positions[0] != positions[1]:
        raise ValueError(
            f"{together}: {one_name} was trained with {_positions(positions[0])}, {other_name} with "
            f"{_positions(positions[1])}"
        )


def _positions(positions: Tuple[int, int]) -> str:
    source, target = positions
    return f"--max-source-positions {source} --max-target-positions {target}"


def compare_parameters(first_path: Path, first: dict, path: Path, model: dict) -> None:
    """Checks that two models have the same parameters.

    Raises:
        ValueError: If they do not; the message names both files and the first difference.
    """
    for owner, other, lacking in ((first, model, path), (model, first, first_path)):
        missing = [key for key in owner if key not in other]
        if missing:
            raise ValueError(
                f"{path} does not match {first_path}: {lacking} lacks {missing[0]}"
                f"{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}"
            )
    for key, tensor in first.items():
        other = model[key]
        if tensor.shape != other.shape or tensor.dtype != other.dtype:
            raise ValueError(
                f"{path} does not match {first_path}: {key} is "
                f"{tuple(other.shape)} of {other.dtype} instead of {tuple(tensor.shape)} of "
                f"{tensor.dtype}"
            )
