"""Pairs for validation or translation; no pair is ever dropped."""

import logging
from typing import List, Optional

import numpy as np

from fairseq_subword_ext.data.x_en_pairs import XEnPairs, longest, shortened

logger = logging.getLogger(__name__)


class EvaluationPairs(XEnPairs):
    """Pairs that give one output per line; sources too long for the model are truncated and reported.

    Args:
        *args, **kwargs: as in :class:`.XEnPairs`.
        by_language: make batches of one language each, as losses per language need; if languages have
            few lines, decoding is faster without.
        subset: the ids to evaluate; None for all.
    """

    def __init__(
        self, *args, by_language: bool = False, subset: Optional[np.ndarray] = None, **kwargs
    ):
        super().__init__(*args, shuffle=False, **kwargs)
        self.by_language = by_language
        self.subset = subset

    def languages_in_use(self) -> List[str]:
        """The languages that have a line here, or in the subset if there is one."""
        return [self.languages[index] for index in np.unique(self.language_index(self._used()))]

    def _used(self) -> np.ndarray:
        return np.arange(len(self)) if self.subset is None else self.subset

    def collater(self, samples, pad_to_length=None):
        """Adds ``language`` if batches have one language each, and ``source_text`` for raw data."""
        batch = super().collater(samples, pad_to_length)
        if batch and self.by_language:
            batch["language"] = self.languages[self.language_index(samples[0]["id"])]
        if batch and hasattr(self.src, "pieces"):
            batch["source_text"] = [self.src.pieces(index) for index in batch["id"].tolist()]
        return batch

    def ordered_indices(self):
        """Ids by length, grouped by language if batches have one language each."""
        indices = self._used()
        keys = [self.src_sizes[indices]]
        if self.by_language:
            keys.append(self.language_index(indices))
        return indices[np.lexsort(keys)]

    def batch_by_size(
        self, indices, max_tokens=None, max_sentences=None, required_batch_size_multiple=1
    ):
        """As Fairseq's, but every line is in a batch, and a batch has one language if asked for."""
        if len(indices) == 0:
            return []
        if max_tokens is not None:
            max_tokens = max(max_tokens, int(self.num_tokens_vec(indices).max()))
        groups = [indices]
        if self.by_language:
            groups = np.split(indices, np.flatnonzero(np.diff(self.language_index(indices))) + 1)
        return [
            batch
            for group in groups
            for batch in super(EvaluationPairs, self).batch_by_size(
                group, max_tokens, max_sentences, required_batch_size_multiple=1
            )
        ]

    def filter_indices_by_size(self, indices, max_sizes):
        """Truncates long sources and reports long targets; drops nothing.

        Args:
            indices: candidate ids.
            max_sizes: (longest source, longest target) in tokens, or one number for both.
        """
        if max_sizes is not None:
            max_source, max_target = longest(max_sizes)
            self.cut_sources(indices, max_source)
            self._report_targets(indices, max_target)
        return indices, []

    def _report_targets(self, indices: np.ndarray, limit: int) -> None:
        if self.tgt_sizes is None:
            return
        too_long = np.sort(indices[self.tgt_sizes[indices] > limit])
        if len(too_long) > 0:
            logger.warning(
                f"{self.name}: {len(too_long):,} of {len(indices):,} targets are longer than {limit:,} "
                f"tokens; a loss counts only their first {limit:,} ({self.list_ids(too_long)})"
            )

    def describe(self) -> str:
        """One line for the log, with the range of ids of each language."""
        ranges = [
            f"{xx} {first}-{first + lines - 1}" for xx, first, lines in self.language_ranges()
        ]
        used = "" if self.subset is None else f", of which {len(self.subset):,} are used"
        return (
            f"{self.name}: {len(self):,} pairs of {len(ranges)} languages{used}; ids by language: "
            f"{', '.join(ranges)}"
        )


class InputLines(EvaluationPairs):
    """Lines that were read, not binarized: those of fairseq-interactive or the hub.

    Args:
        *args, **kwargs: as in :class:`EvaluationPairs`.
        first_line: the number of the first line for messages, counted from 0.
    """

    def __init__(self, *args, first_line: int = 0, **kwargs):
        super().__init__(*args, name="input", **kwargs)
        self._first_line = first_line

    def list_ids(self, ids: np.ndarray) -> str:
        return f"line {shortened(ids + self._first_line)}"


def within_positions(sample: dict, limit: int, pad: int) -> dict:
    """The batch with targets truncated to ``limit`` symbols, for a loss.

    Args:
        sample: a batch from the collater; not changed, since BLEU needs the whole targets.
        limit: the number of positions of the decoder.
        pad: the padding id.

    Raises:
        ValueError: If the data has no targets.
    """
    target = sample["target"]
    if target is None:
        raise ValueError("a loss needs both sides of the data, but this data has only sources")
    if target.size(1) <= limit:
        return sample
    # With padding on the left, keep the right end, which holds the short targets.
    columns = slice(-limit, None) if (target[:, 0] == pad).any() else slice(limit)
    net_input = dict(sample["net_input"])
    net_input["prev_output_tokens"] = net_input["prev_output_tokens"][:, columns]
    target = target[:, columns].contiguous()
    ntokens = int(target.ne(pad).sum())
    return {**sample, "target": target, "net_input": net_input, "ntokens": ntokens}
