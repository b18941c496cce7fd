"""Whether dictionary, codes and checkpoint belong together."""

import re
from pathlib import Path
from typing import Any, Dict, List, Optional

from fairseq_subword_ext.checkpoints.comparing import Symbols, compare_dictionaries
from fairseq_subword_ext.checkpoints.languages import EMBEDDINGS
from fairseq_subword_ext.checkpoints.packed_checkpoint import option
from fairseq_subword_ext.codecs.registry import ENCODINGS, make_codec
from fairseq_subword_ext.subword.dictionary import LANGUAGE_TOKEN
from fairseq_subword_ext.subword.merge_table import MergeTable

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
        compare_dictionaries(
            Symbols(known, origin),
            Symbols(dictionary.symbols, path),
            f"{path} does not belong to {checkpoint}; give the folder that it was trained on as --data",
        )
    return dictionary.symbols[dictionary.nspecial :]


def known_symbols(state: Dict[str, Any], path: Path, checkpoint: Path):
    """What is known of the model's dictionary, and from where: the tasks of this package keep it in
    the checkpoint; for others it is in the folder of the training data, if that still exists."""
    from fairseq.data import Dictionary

    for own in (state.get("task_state") or {}).values():
        if isinstance(own, dict) and "symbols" in own:
            yield own["symbols"].split("\n"), str(checkpoint)
    folder = option(state["cfg"]["task"], "data")
    trained = folder and Path(str(folder).split(":")[0]) / path.name
    if trained and trained.is_file() and not trained.samefile(path):
        yield Dictionary.load(str(trained)).symbols, str(trained)


def check_codes(
    codes: Path, encoder: str, symbols: List[str], dictionary: Path, options: Dict[str, str]
) -> None:
    """Checks that the dictionary's symbols are such as the codes make.

    Raises:
        ValueError: If the codes cannot be read, or are those of another model.
    """
    if encoder in ENCODINGS:
        told = {"separator": options["bpe_separator"]} if "bpe_separator" in options else {}
        codec = make_codec(encoder, codes, **told)
    else:  # Fairseq's own encoders with codes
        codec = make_codec("generalized_bpe", codes, compat="subword-nmt")
    own = [s for s in symbols if not FILLER.fullmatch(s) and not LANGUAGE_TOKEN.fullmatch(s)]
    foreign = [symbol for symbol in own if not codec.may_make(symbol)]
    if len(foreign) > FOREIGN_SHARE * len(own) and not any("glossar" in key for key in options):
        raise ValueError(
            f"{codes} do not belong to {dictionary}: they never make {len(foreign)} of its {len(own)} "
            f"symbols, the first {foreign[0]!r}"
        )


def signature_of(codes: Optional[Path]) -> Optional[str]:
    """The codes' signature; None for a SentencePiece model and where there are no codes."""
    if codes is None or b"\0" in codes.read_bytes():
        return None
    return MergeTable.load(codes).signature()
