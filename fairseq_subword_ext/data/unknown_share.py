"""How much of a text a model's vocabulary loses."""

import logging

import numpy as np

from fairseq_subword_ext.subword.dictionary import LANGUAGE_TOKEN

logger = logging.getLogger(__name__)

COMPARED = 2000  # entries of a dictionary, the most frequent ones
# Entries made into one word: alone, those that are whole words look alike in every encoding.
TOGETHER = 4
FEWEST = 64  # of so few entries, words have pieces that the corpus never had
FILLER = "madeupword"
# The right codes make 8 % of such pieces on German text, and of Japanese, with its many characters, up
# to 55 % if the dictionary leaves out rare symbols. Those of the other unit make 62 % or more.
MOST_UNKNOWN = 0.6


def report_unknown(dataset, dictionary) -> None:
    """Logs the share of ``<unk>`` among the symbols of both sides, as a warning if there are any.

    Byte-level vocabularies know every byte, so that nothing of any language is lost; a vocabulary of
    characters has none of a script that it was not made from.

    Args:
        dataset: with ``src`` and ``tgt``, sequences of tensors of ids, each ending in ``</s>``.
        dictionary: of both.
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
                f"{total:,}) are <unk>: the parent's vocabulary lacks them and the model cannot see "
                "them; a byte-level vocabulary loses nothing"
            )
        else:
            logger.info(f"<unk> in the {side} of the training data: 0 of {total:,} symbols")


def warn_about_codes(bpe, dictionary) -> None:
    """Warns if an encoder's pieces are not in the dictionary, as with the codes of another model.

    The dictionary's own entries are decoded and encoded again, whatever encoder it is: most of what the
    right codes make of them is in the dictionary.

    Args:
        bpe: one of Fairseq's encoders, with ``encode`` and ``decode``.
        dictionary: the model's.
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
        except (KeyError, ValueError):  # some of Fairseq's own encoders take no text but theirs
            return
        total += len(pieces)
        unknown += sum(piece not in dictionary for piece in pieces)
    if unknown > MOST_UNKNOWN * total:
        logger.warning(
            f"{unknown / total:.0%} of the pieces that --bpe makes are not in the dictionary and become "
            "<unk>: are these the codes (--bpe-codes) and the --bpe that the model was trained with?"
        )
