"""The dictionary of a task that trains on raw text: given, or made from the codes."""

from typing import Iterable, List, Sequence, Tuple

from fairseq_subword_ext.codecs.codec import Codec
from fairseq_subword_ext.data.x_en_pairs import shortened_list
from fairseq_subword_ext.subword.dictionary import finalize


def entries_of_codes(codec: Codec, more: Iterable[str] = ()) -> List[Tuple[str, int]]:
    """The dictionary that ``build-dict -c CODES`` writes: every symbol that segmentation can produce.

    Args:
        codec: segments the text.
        more: further symbols, such as language tokens.

    Returns:
        (symbol, count) in the order of the file.

    Raises:
        ValueError: If text can have other symbols.
    """
    symbols, reason = codec.known_symbols()
    if reason is not None:
        raise ValueError(
            f"--from-text: no dictionary can be made from the codes, since {reason}; give --text-dict FILE "
            "(fairseq-subword build-dict makes one)"
        )
    return finalize({}, keep=[*symbols, *more])


def check_complete(codec: Codec, symbols: Sequence[str], origin: str) -> None:
    """Checks that a dictionary has every symbol that segmentation is known to produce.

    One that was counted from text without dropout lacks the pieces that only dropout leaves unmerged.

    Args:
        codec: segments the text.
        symbols: those of the dictionary.
        origin: its name, for messages.

    Raises:
        ValueError: If it lacks any.
    """
    known = set(symbols)
    missing = [symbol for symbol in codec.known_symbols()[0] if symbol not in known]
    if missing:
        raise ValueError(
            f"{origin} lacks {len(missing):,} symbols that the codes can produce, and which would become "
            f"<unk>: {shortened_list(missing)}; use one that has them all (fairseq-subword build-dict -c "
            "CODES), or leave it out, and it is made from the codes"
        )
