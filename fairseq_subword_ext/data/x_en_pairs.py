"""Sentence pairs of many languages into English: the base of training and evaluation data."""

import logging
from typing import List, Mapping, Optional, Sequence, Tuple

import numpy as np
import torch
from fairseq.data import LanguagePairDataset

logger = logging.getLogger(__name__)

SHOWN = 10  # ids listed in a message before "..."


class XEnPairs(LanguagePairDataset):
    """Pairs of many languages, one language after another, so that each has a contiguous range of ids.

    Per sentence, only arrays are held in memory; the text stays in its memory-mapped files.

    Args:
        src: the sources, indexable by 0 ... N - 1: token ids that end in ``</s>``.
        src_sizes: their lengths, int array of shape (N,).
        dictionary: the dictionary of both sides.
        tgt: the targets, or None.
        tgt_sizes: their lengths, or None.
        languages: language -> number of pairs, in the order of the ids; empty if unknown.
        language_tokens: language -> id to put before its sources; None for no tokens.
        name: the name of this data in messages.
        **kwargs: padding sides and so on, for Fairseq's LanguagePairDataset.
    """

    def __init__(
        self,
        src,
        src_sizes,
        dictionary,
        tgt=None,
        tgt_sizes=None,
        *,
        languages: Mapping[str, int],
        language_tokens: Optional[Mapping[str, int]] = None,
        name: str = "data",
        **kwargs,
    ):
        src_sizes = np.asarray(src_sizes, dtype=np.int32)
        if language_tokens is not None:
            src_sizes = src_sizes + 1
        super().__init__(src, src_sizes, dictionary, tgt, tgt_sizes, dictionary, **kwargs)
        self.languages = list(languages)
        self._ends = np.cumsum([languages[language] for language in self.languages], dtype=np.int64)
        self._language_tokens = (
            [language_tokens[language] for language in self.languages] if language_tokens else None
        )
        self.name = name
        self._longest_source: Optional[int] = None

    def language_index(self, ids) -> np.ndarray:
        """The index into ``languages`` of each id."""
        return np.searchsorted(self._ends, ids, side="right")

    def language_ranges(self) -> List[Tuple[str, int, int]]:
        """(language, first id, number of pairs) for each language."""
        firsts = [0, *self._ends.tolist()]
        return [
            (language, first, end - first)
            for language, first, end in zip(self.languages, firsts, firsts[1:])
        ]

    def languages_in_use(self) -> List[str]:
        """The languages that an epoch reads."""
        return self.languages

    def __getitem__(self, index):
        example = super().__getitem__(index)
        source = example["source"]
        if self._language_tokens is not None:
            token = self._language_tokens[self.language_index(index)]
            source = torch.cat([source.new_tensor([token]), source])
        if self._longest_source is not None and len(source) > self._longest_source:
            source = torch.cat([source[: self._longest_source - 1], source[-1:]])  # keeps </s>
        example["source"] = source
        return example

    def batch_by_size(
        self, indices, max_tokens=None, max_sentences=None, required_batch_size_multiple=1
    ):
        """As Fairseq's, but the last batch is never dropped."""
        if len(indices) == 0:
            return []
        batches = super().batch_by_size(
            indices, max_tokens, max_sentences, required_batch_size_multiple
        )
        # Current Fairseq drops a last batch whose size is not a multiple of
        # --required-batch-size-multiple: up to 7 lines of any set, and all of a small one.
        rest = indices[sum(len(batch) for batch in batches) :]
        return [*batches, rest] if len(rest) > 0 else list(batches)

    def cut_sources(self, indices: np.ndarray, limit: int) -> None:
        """Truncates sources longer than ``limit`` from now on, and reports those among ``indices``."""
        too_long = np.sort(indices[self.src_sizes[indices] > limit])
        self._longest_source = limit
        self.src_sizes = np.minimum(self.src_sizes, limit)
        if len(too_long) > 0:
            logger.warning(
                f"{self.name}: {len(too_long):,} of {len(indices):,} sources are longer than {limit:,} "
                f"tokens and were cut there ({self.list_ids(too_long)})"
            )

    def list_ids(self, ids: np.ndarray) -> str:
        """The first of these ids, for a message."""
        return f"id {shortened(ids)}"


def shortened(ids: np.ndarray) -> str:
    """The first ids of a list, as text."""
    return shortened_list(ids[:SHOWN].tolist(), len(ids) > SHOWN)


def shortened_list(items: Sequence, has_more: bool = False) -> str:
    """The first items of a list, as text."""
    more = ", ..." if has_more or len(items) > SHOWN else ""
    return ", ".join(map(str, items[:SHOWN])) + more


def longest(max_sizes) -> Tuple[int, int]:
    """(longest source, longest target) from Fairseq's limits, which may be one number for both."""
    both = isinstance(max_sizes, (int, float))
    return (max_sizes, max_sizes) if both else tuple(max_sizes)
