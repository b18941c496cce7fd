"""Measures how much of a text is unknown to a model's vocabulary."""

import logging

import numpy as np

from fairseq_subword_ext.subword.dictionary import LANGUAGE_TOKEN

logger = logging.getLogger(__name__)

COMPARED = 2000  # most frequent entries of a dictionary
# Entries joined into one word: single entries that are whole words look the same in every encoding.
TOGETHER = 4
FEWEST = 64  # words made of fewer entries have pieces that the corpus never had
FILLER = "madeupword"
# Measured share of unknown pieces: with the right codes, 8 % on German text and up to 55 % on Japanese, whose
# many characters include rare ones that dictionaries drop; with codes of the other unit, 62 % or more.
MOST_UNKNOWN = 0.6


def report_unknown(dataset, dictionary) -> None:
    """Logs the share of ``<unk>`` among the symbols of each side, as a warning if there is any.

    Byte-level vocabularies have every byte, so that no text is lost; a character vocabulary lacks
    any script that it was not learned from.

    Args:
        dataset: with ``src`` and ``tgt``, sequences of tensors of ids, each ending in ``</s>``.
        dictionary: the dictionary of both.
    """
    for side, sentences in (("source", dataset.src), ("target", dataset.tgt)):
        unknown = total = 0
        for index in range(len(sentences)):
            ids = np.asarray(sentences[index])
            unknown += int((ids == dictionary.unk()).sum())
            total += int((ids != dictionary.eos()).sum())
        if unknown:
            logger.warning(
                f"{unknown / total:.1%} of the {side} symbols of the training data ({unknown:,} of "
                f"{total:,}) are <unk>: the parent's vocabulary lacks them, and the model cannot see "
                "them; a byte-level vocabulary would lose nothing"
            )
        else:
            logger.info(f"<unk> in the {side} of the training data: 0 of {total:,} symbols")


def warn_about_codes(bpe, dictionary) -> None:
    """Warns if an encoder's pieces are not in the dictionary, as with another model's codes.

    The dictionary's own entries are decoded and encoded again, which works for any encoder: most of the
    pieces that the right codes give are in the dictionary.

    Args:
        bpe: a Fairseq encoder, with ``encode`` and ``decode``.
        dictionary: the dictionary of the model.
    """
    own = [
        symbol
        for symbol in dictionary.symbols[dictionary.nspecial :][:COMPARED]
        if not symbol.startswith(FILLER) and not LANGUAGE_TOKEN.fullmatch(symbol)
    ]
    if len(own) < FEWEST:
        return
    unknown = total = 0
    for start in range(0, len(own), TOGETHER):
        try:
            word = bpe.decode(" ".join(own[start : start + TOGETHER])).replace(" ", "")
            pieces = bpe.encode(word).split()
        except (KeyError, ValueError):  # some of Fairseq's own encoders accept only their own text
            return
        total += len(pieces)
        unknown += sum(piece not in dictionary for piece in pieces)
    if unknown > MOST_UNKNOWN * total:
        logger.warning(
            f"{unknown / total:.0%} of the pieces that --bpe makes are not in the dictionary and become "
            "<unk>: are these the codes (--bpe-codes) and the --bpe that the model was trained with?"
        )
