"""How much of a new language's text a model's vocabulary loses."""

import logging

import numpy as np

logger = logging.getLogger(__name__)


def report_unknown(dataset, dictionary) -> None:
    """Logs the share of ``<unk>`` among the symbols of both sides, as a warning where there are any.

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
