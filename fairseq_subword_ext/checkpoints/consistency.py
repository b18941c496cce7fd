"""Checks that the dictionary, codes and checkpoint of a model match."""

import re
from pathlib import Path
from typing import Any, Dict, List, Optional

from fairseq_subword_ext.checkpoints.comparing import Symbols, compare_dictionaries
from fairseq_subword_ext.checkpoints.dictionaries import load_dictionary
from fairseq_subword_ext.checkpoints.languages import EMBEDDINGS
from fairseq_subword_ext.checkpoints.packed_checkpoint import option
from fairseq_subword_ext.codecs.registry import ENCODINGS, make_codec
from fairseq_subword_ext.subword.dictionary import LANGUAGE_TOKEN
from fairseq_subword_ext.subword.merge_table import MergeTable

FILLER = re.compile(r"madeupword\d{4,}")
# Training text may have a few characters that the codes' own training text did not.
FOREIGN_SHARE = 0.01


def check_dictionary(path: Path, side: str, state: Dict[str, Any], checkpoint: Path) -> List[str]:
    """Checks that a model was trained with this dictionary.

    Args:
        path: the dictionary.
        side: ``source`` or ``target``.
        state: the checkpoint.
        checkpoint: its name, for messages.

    Returns:
        The dictionary's symbols without control symbols.

    Raises:
        ValueError: If the file is not a dictionary, or not the model's.
    """
    dictionary = load_dictionary(path)
    weights = state["model"].get(EMBEDDINGS[side])
    if weights is not None and len(weights) != len(dictionary):
        raise ValueError(
            f"{path} does not belong to {checkpoint}: it has {len(dictionary)} symbols (Fairseq's control "
            f"symbols included), but the model has {len(weights)}; give the folder that it was trained on "
            "as --data"
        )
    for known, origin in known_symbols(state, path, checkpoint):
        compare_dictionaries(
            Symbols(known, origin),
            Symbols(dictionary.symbols, path),
            f"{path} does not belong to {checkpoint}; give the folder that it was trained on as --data",
        )
    return dictionary.symbols[dictionary.nspecial :]


def known_symbols(state: Dict[str, Any], path: Path, checkpoint: Path):
    """The model's dictionary as far as it is known, and its source.

    This package's tasks keep it in the checkpoint; for others it is in the folder of the training data,
    if that still exists.
    """
    for own in (state.get("task_state") or {}).values():
        if isinstance(own, dict) and "symbols" in own:
            yield own["symbols"].split("\n"), str(checkpoint)
    folder = option(state["cfg"]["task"], "data")
    given = option(state["cfg"]["task"], "text_dict")
    trained = Path(given) if given else folder and Path(str(folder).split(":")[0]) / path.name
    if trained and trained.is_file() and not trained.samefile(path):
        yield load_dictionary(trained).symbols, str(trained)


def check_codes(
    codes: Path, encoder: str, symbols: List[str], dictionary: Path, options: Dict[str, str]
) -> None:
    """Checks that the codes can produce the dictionary's symbols.

    Raises:
        ValueError: If the codes cannot be read, or belong to another model.
    """
    if encoder in ENCODINGS:
        given = {"separator": options["bpe_separator"]} if "bpe_separator" in options else {}
        codec = make_codec(encoder, codes, **given)
    else:  # Fairseq's own encoders with codes
        codec = make_codec("generalized_bpe", codes, compat="subword-nmt")
    own = [s for s in symbols if not FILLER.fullmatch(s) and not LANGUAGE_TOKEN.fullmatch(s)]
    foreign = [symbol for symbol in own if not codec.may_make(symbol)]
    if len(foreign) > FOREIGN_SHARE * len(own) and not any("glossar" in key for key in options):
        raise ValueError(
            f"{codes} do not belong to {dictionary}: they cannot produce {len(foreign)} of its {len(own)} "
            f"symbols, the first {foreign[0]!r}"
        )


def signature_of(codes: Optional[Path]) -> Optional[str]:
    """The codes' signature; None for a SentencePiece model, or if there are no codes."""
    if codes is None or b"\0" in codes.read_bytes():
        return None
    return MergeTable.load(codes).signature()
