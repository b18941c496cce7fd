"""Pairs to train on, in an order that depends only on the seed and the epoch."""

from typing import Optional

import numpy as np

from fairseq_subword_ext.data.language_sampling import LanguageSampler
from fairseq_subword_ext.data.x_en_pairs import XEnPairs, longest


class TrainingPairs(XEnPairs):
    """Each pair once per epoch, or as often as ``sampler`` draws it, in batches of similar lengths.

    The order depends on the seed, and with a sampler on the epoch, but never on what ran before: a run
    resumed in the middle of an epoch sees the batches that it would have seen without the interruption.

    Args:
        *args, **kwargs: as in :class:`.XEnPairs`.
        sampler: draws each epoch's pairs; None takes all of them.
        cut_long_sources: truncate long sources instead of skipping their pairs.
        seed: seed of the order.

    Attributes:
        new_batches_each_epoch: whether every epoch has its own batches.
    """

    def __init__(
        self,
        *args,
        sampler: Optional[LanguageSampler] = None,
        cut_long_sources: bool = False,
        seed: int = 1,
        **kwargs,
    ):
        super().__init__(*args, shuffle=True, **kwargs)
        self.sampler = sampler
        self.new_batches_each_epoch = sampler is not None
        self._cuts_sources = cut_long_sources
        self._seed = seed
        self._epoch = 1

    def set_epoch(self, epoch):
        super().set_epoch(epoch)
        self._epoch = epoch

    @property
    def can_reuse_epoch_itr_across_epochs(self):
        return not self.new_batches_each_epoch

    def ordered_indices(self):
        """Ids by length; equal lengths are in random order."""
        drawn = np.arange(len(self)) if self.sampler is None else self.sampler.draw(self._epoch)
        # Fairseq seeds numpy with the epoch in which batches happen to be built: a run resumed in
        # epoch 3 would get other batches than one that started in epoch 1.
        seed = [self._seed, self._epoch] if self.new_batches_each_epoch else [self._seed]
        indices = np.random.default_rng(seed).permutation(drawn)
        # By target length, then by source length, alternately ascending and descending: if a batch spans
        # two target lengths, its sources still have similar lengths.
        sources, targets = self.src_sizes[indices], self.tgt_sizes[indices]
        return indices[np.lexsort((np.where(targets % 2, -sources, sources), targets))]

    def filter_indices_by_size(self, indices, max_sizes):
        """Drops long pairs, after truncating their sources if asked for.

        Args:
            indices: candidate ids.
            max_sizes: (longest source, longest target) in tokens, or one number for both.

        Returns:
            The ids kept and a list of those dropped.
        """
        if max_sizes is None:
            return indices, []
        max_source, max_target = longest(max_sizes)
        if self._cuts_sources:
            self.cut_sources(indices, max_source)
        return super().filter_indices_by_size(indices, (max_source, max_target))

    def describe(self) -> str:
        """One line for the log, with the pairs of each language and how often they are drawn."""
        parts = []
        for number, (language, _, pairs) in enumerate(self.language_ranges()):
            drawn = ""
            if self.sampler is not None:
                drawn = f" (drawn {self.sampler.counts[number]:,} times per epoch)"
            parts.append(f"{language} {pairs:,}{drawn}")
        return f"{self.name}: {len(self):,} pairs of {len(parts)} languages; {', '.join(parts)}"
