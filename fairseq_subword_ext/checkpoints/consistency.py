"""Whether dictionary, codes and checkpoint belong together."""

import re
from pathlib import Path
from typing import Any, Dict, List, Optional, Set

from fairseq_subword_ext.checkpoints.languages import EMBEDDINGS
from fairseq_subword_ext.checkpoints.packed_checkpoint import option
from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.dictionary import LANGUAGE_TOKEN, producible_tokens
from fairseq_subword_ext.subword.escaping import ESCAPE
from fairseq_subword_ext.subword.line_codecs import make_codec
from fairseq_subword_ext.subword.merge_table import MergeTable
from fairseq_subword_ext.subword.symbols import END_OF_WORD, SEPARATOR

FILLER = re.compile(r"madeupword\d{4,}")
# Text may hold a character or two that the codes' own text did not.
FOREIGN_SHARE = 0.01


def check_dictionary(path: Path, side: str, state: Dict[str, Any], checkpoint: Path) -> List[str]:
    """Checks that a dictionary is the one that the model was trained with.

    Args:
        path: the dictionary.
        side: ``source`` or ``target``.
        state: the checkpoint.
        checkpoint: its name, for messages.

    Returns:
        The dictionary's symbols without Fairseq's own.

    Raises:
        ValueError: If it is not a dictionary, or a different one.
    """
    from fairseq.data import Dictionary

    from fairseq_subword_ext.data.common_dictionary import first_difference

    try:
        dictionary = Dictionary.load(str(path))
    except (RuntimeError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise ValueError(f"{path}: not a dictionary of fairseq-preprocess ({reason})") from error
    weights = state["model"].get(EMBEDDINGS[side])
    if weights is not None and len(weights) != len(dictionary):
        raise ValueError(
            f"{path} does not belong to {checkpoint}: it has {len(dictionary)} symbols, Fairseq's own "
            f"counted, and the model {len(weights)}; give the folder that it was trained on as --data"
        )
    for known, origin in known_symbols(state, path, checkpoint):
        difference = first_difference(dictionary.symbols, known)
        if difference is not None:
            place, here, there = difference
            raise ValueError(
                f"{path} does not belong to {checkpoint}: symbol {place} is {here}, and {there} "
                f"{origin}; give the folder that it was trained on as --data"
            )
    return dictionary.symbols[dictionary.nspecial :]


def known_symbols(state: Dict[str, Any], path: Path, checkpoint: Path):
    """What is known of the model's dictionary, and from where: the tasks of this package keep it in
    the checkpoint; for others it is in the folder of the training data, if that still exists."""
    from fairseq.data import Dictionary

    for own in (state.get("task_state") or {}).values():
        if isinstance(own, dict) and "symbols" in own:
            yield own["symbols"].split("\n"), "in the checkpoint"
    folder = option(state["cfg"]["task"], "data")
    trained = folder and Path(str(folder).split(":")[0]) / path.name
    if trained and trained.is_file() and not trained.samefile(path):
        yield Dictionary.load(str(trained)).symbols, f"in {trained}, which it was trained with"


def check_codes(
    codes: Path, encoder: str, symbols: List[str], dictionary: Path, options: Dict[str, str]
) -> None:
    """Checks that the dictionary's symbols are such as the codes make.

    Raises:
        ValueError: If the codes cannot be read, or are those of another model.
    """
    made = makes(codes, encoder, options.get("bpe_separator", SEPARATOR))
    own = [s for s in symbols if not FILLER.fullmatch(s) and not LANGUAGE_TOKEN.fullmatch(s)]
    foreign = [symbol for symbol in own if not made(symbol)]
    if len(foreign) > FOREIGN_SHARE * len(own) and not any("glossar" in key for key in options):
        raise ValueError(
            f"{codes} do not belong to {dictionary}: they never make {len(foreign)} of its {len(own)} "
            f"symbols, the first {foreign[0]!r}"
        )


def makes(codes: Path, encoder: str, separator: str):
    """Returns a function that says whether the codes can make a symbol."""
    if encoder == "bbpe":
        known: Set[str] = {*make_codec(encoder, codes).symbols, *BYTE_SYMBOLS}
        return known.__contains__
    table = MergeTable.load(codes)
    if table.unit == "byte" or table.alphabet is not None:
        return set(producible_tokens(table, separator)).__contains__
    pieces = {(left + right).replace(END_OF_WORD, "") for left, right in table}

    def may_make(symbol: str) -> bool:
        stem = symbol[: -len(separator)] if symbol.endswith(separator) else symbol
        # Without the alphabet any character may have been in the text.
        return stem in pieces or len(stem) == 1 or ESCAPE in stem

    return may_make


def signature_of(codes: Optional[Path]) -> Optional[str]:
    """The codes' signature; None for a SentencePiece model and where there are no codes."""
    if codes is None or b"\0" in codes.read_bytes():
        return None
    return MergeTable.load(codes).signature()
