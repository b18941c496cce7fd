"""Fairseq's dict.txt for byte-level units, complete for any data."""

from collections.abc import Iterable, Mapping
from typing import Optional

from fairseq_subword_ext.subword.byte_text import BYTE_SYMBOLS
from fairseq_subword_ext.subword.dictionary import finalize, save
from fairseq_subword_ext.textio.files import PathLike


def write_byte_dictionary(
    path: PathLike, symbols: Iterable[str], counts: Optional[Mapping[str, int]] = None
) -> int:
    """Writes a dictionary of the given symbols and all 256 bytes.

    Both languages of a joined dictionary use the same file (``--joined-dictionary --srcdict``), and so
    can a later model for a new language: no text is ever out of vocabulary.

    Args:
        path: dict.txt.
        symbols: the subwords that segmentation can produce, for example
            :attr:`.sentencepiece_model.SentencePieceModel.pieces`.
        counts: symbol counts in the training text; a missing symbol counts 0. They determine the order,
            most frequent first, which Fairseq's adaptive softmax relies on.

    Returns:
        The number of symbols, without the four that Fairseq adds itself.

    Raises:
        OSError: If the file cannot be written.
    """
    entries = finalize(counts or {}, padding_factor=1, keep=[*symbols, *BYTE_SYMBOLS])
    save(entries, path)
    return len(entries)
