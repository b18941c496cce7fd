"""Whether checkpoints, and the data they are used with, belong together."""

from pathlib import Path
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple, Union

# The keys under which a checkpoint keeps what the tasks of this package say about it.
X_EN_STATE = "multilingual_x_en"
# Fairseq's control symbols, which come first in every dictionary and are not in its file.
SPECIAL_SYMBOLS = 4
NOTHING = "nothing"


class Symbols(NamedTuple):
    """A dictionary's symbols, Fairseq's own included, and where they were found."""

    symbols: Sequence[str]
    source: Union[str, Path]


def compare_dictionaries(one: Symbols, other: Symbols, remedy: str) -> None:
    """Makes sure that two dictionaries give the same ids to the same symbols.

    Sizes alone would let a dictionary in another order pass, and the model would read other words
    than were written.

    Args:
        one, other: the two.
        remedy: what to do if they differ.

    Raises:
        ValueError: If they differ; names both and the first difference.
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
    """Where two lists of symbols part.

    Returns:
        The position (counted from 1) and both symbols there, quoted, or "nothing" at a list's end;
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
    """Makes sure that two members of an ensemble read and write alike.

    The members see the same ids. Fairseq compares nothing: two models that expect other input are
    averaged in silence.

    Args:
        one_name, other_name: the checkpoints, for the message.
        one, other: their ``task_state``. A model of Fairseq's own task has said nothing of its
            dictionary and positions, and reads no language token.

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
    """Makes sure that two models have the same parameters.

    Raises:
        ValueError: If they do not; names both files and the first difference.
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
