"""Sentence pairs of many languages into English, as one Fairseq dataset."""

import logging
from typing import List, Mapping, Optional, Tuple

import numpy as np
import torch
from fairseq.data import LanguagePairDataset

from fairseq_subword_ext.data.language_sampling import LanguageSampler

logger = logging.getLogger(__name__)

SHOWN = 10  # ids that a message lists before it says "..."


class XEnDataset(LanguagePairDataset):
    """Pairs of many languages, one language after another, so that ids are contiguous by language.

    Only arrays hold what there is per sentence; the text stays in its memory-mapped files.

    For training, every pair comes once an epoch, or as often as ``sampler`` says, in batches of
    similar lengths. The order depends on the seed, and with a sampler on the epoch, but never on
    what ran before, so that a run resumed in mid-epoch goes on with the batches it had.

    For evaluation, nothing is ever dropped: sources too long for the model are cut (and reported).

    Args:
        src: the sources, token ids ending in ``</s>``; indexable by 0 ... N - 1.
        src_sizes: their lengths, int array of shape (N,).
        dictionary: the dictionary of both sides.
        tgt: the targets, or None.
        tgt_sizes: their lengths, or None.
        languages: language -> number of pairs, in the order of the ids; may be empty where nothing
            is known of the languages.
        language_tokens: language -> id put before its sources, or None.
        training: see above.
        by_language: make evaluation batches of one language each, as losses by language need them;
            decoding is faster without, where languages have few lines.
        sampler: draws each training epoch's pairs.
        subset: evaluate these ids only, or None for all.
        cut_long_sources: cut rather than skip them in training, too.
        seed: of the training order.
        name: what messages call this data.
        first_id: added to the ids in messages (line numbers of an interactive run).
        **kwargs: padding sides and the like, for fairseq's LanguagePairDataset.
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
        training: bool = False,
        by_language: bool = False,
        sampler: Optional[LanguageSampler] = None,
        subset: Optional[np.ndarray] = None,
        cut_long_sources: bool = False,
        seed: int = 1,
        name: str = "data",
        first_id: int = 0,
        **kwargs,
    ):
        src_sizes = np.asarray(src_sizes, dtype=np.int32)
        if language_tokens is not None:
            src_sizes = src_sizes + 1
        super().__init__(
            src, src_sizes, dictionary, tgt, tgt_sizes, dictionary, shuffle=training, **kwargs
        )
        self.languages = list(languages)
        self._ends = np.cumsum([languages[language] for language in self.languages], dtype=np.int64)
        self._language_tokens = (
            [language_tokens[language] for language in self.languages] if language_tokens else None
        )
        self.training = training
        self.by_language = by_language
        self.sampler = sampler
        self.subset = subset
        self.seed = seed
        self.epoch = 1
        self.name = name
        self.new_batches_each_epoch = sampler is not None
        self._cuts_sources = cut_long_sources or not training
        self._max_source: Optional[int] = None
        self._first_id = first_id

    def language_index(self, ids) -> np.ndarray:
        """The place in ``languages`` of each id."""
        return np.searchsorted(self._ends, ids, side="right")

    def language_ranges(self) -> List[Tuple[str, int, int]]:
        """(language, first id, number of pairs) for each language."""
        firsts = [0, *self._ends.tolist()]
        return [
            (language, first, end - first)
            for language, first, end in zip(self.languages, firsts, firsts[1:])
        ]

    def languages_in_use(self) -> List[str]:
        """The languages that have a line here, or in the subset."""
        used = np.unique(self.language_index(self._candidates()))
        return [self.languages[index] for index in used]

    def _candidates(self) -> np.ndarray:
        if self.training and self.sampler is not None:
            return self.sampler.draw(self.epoch)
        return np.arange(len(self)) if self.subset is None else self.subset

    def __getitem__(self, index):
        example = super().__getitem__(index)
        source = example["source"]
        if self._language_tokens is not None:
            token = self._language_tokens[self.language_index(index)]
            source = torch.cat([source.new_tensor([token]), source])
        if self._max_source is not None and len(source) > self._max_source:
            source = torch.cat([source[: self._max_source - 1], source[-1:]])  # keeps </s>
        example["source"] = source
        return example

    def collater(self, samples, pad_to_length=None):
        """Adds ``language``, where all lines of the batch are of one."""
        batch = super().collater(samples, pad_to_length)
        if batch and self.by_language:
            batch["language"] = self.languages[self.language_index(samples[0]["id"])]
        return batch

    # --- order and batches -------------------------------------------------------------------

    def set_epoch(self, epoch):
        super().set_epoch(epoch)
        self.epoch = epoch

    @property
    def can_reuse_epoch_itr_across_epochs(self):
        return not self.new_batches_each_epoch

    def ordered_indices(self):
        """Ids by length; training draws them first and leaves equal lengths in random order."""
        if not self.training:
            indices = self._candidates()
            keys = [self.src_sizes[indices]]
            if self.by_language:
                keys.append(self.language_index(indices))
            return indices[np.lexsort(keys)]
        # Fairseq seeds numpy with the epoch in which batches happen to be built: a run resumed in
        # epoch 3 would batch epoch 3 otherwise than one that came through epoch 1.
        moment = [self.seed, self.epoch] if self.new_batches_each_epoch else [self.seed]
        indices = np.random.default_rng(moment).permutation(self._candidates())
        # By target length, and within one length by source length, up and down in turn: where a batch
        # reaches from one target length into the next, its sources still are of similar lengths.
        sources, targets = self.src_sizes[indices], self.tgt_sizes[indices]
        return indices[np.lexsort((np.where(targets % 2, -sources, sources), targets))]

    def batch_by_size(
        self, indices, max_tokens=None, max_sentences=None, required_batch_size_multiple=1
    ):
        """As fairseq's, but no last batch is lost, and a batch holds one language where it has to."""
        if len(indices) == 0:
            return []
        groups = [indices]
        if not self.training:
            required_batch_size_multiple = 1
            if max_tokens is not None:
                max_tokens = max(max_tokens, int(self.num_tokens_vec(indices).max()))
            if self.by_language:
                changes = np.flatnonzero(np.diff(self.language_index(indices))) + 1
                groups = np.split(indices, changes)
        batches = []
        for group in groups:
            made = super().batch_by_size(
                group, max_tokens, max_sentences, required_batch_size_multiple
            )
            batches.extend(made)
            # Current Fairseq drops a last batch whose size is no multiple of --required-batch-
            # size-multiple: up to 7 lines of every set, and all of a small one.
            rest = group[sum(len(batch) for batch in made) :]
            if len(rest) > 0:
                batches.append(rest)
        return batches

    def filter_indices_by_size(self, indices, max_sizes):
        """Cuts long sources where this data may not lose a line, else leaves long pairs out.

        Args:
            indices: candidate ids.
            max_sizes: (longest source, longest target) in tokens, or one number for both.

        Returns:
            The ids kept and a list of those left out.
        """
        if max_sizes is None:
            return indices, []
        both = isinstance(max_sizes, (int, float))
        max_source, max_target = (max_sizes, max_sizes) if both else max_sizes
        if self._cuts_sources:
            self._cut_sources(indices, max_source)
        if not self.training:
            self._report_targets(indices, max_target)
            return indices, []
        return super().filter_indices_by_size(indices, (max_source, max_target))

    def _cut_sources(self, indices: np.ndarray, limit: int) -> None:
        too_long = np.sort(indices[self.src_sizes[indices] > limit])
        self._max_source = limit
        self.src_sizes = np.minimum(self.src_sizes, limit)
        if len(too_long) > 0:
            logger.warning(
                f"{self.name}: {len(too_long):,} of {len(indices):,} sources are longer than {limit:,} "
                f"tokens and were cut there ({self._list(too_long)})"
            )

    def _report_targets(self, indices: np.ndarray, limit: int) -> None:
        if self.tgt_sizes is None:
            return
        too_long = np.sort(indices[self.tgt_sizes[indices] > limit])
        if len(too_long) > 0:
            logger.warning(
                f"{self.name}: {len(too_long):,} of {len(indices):,} targets are longer than {limit:,} "
                f"tokens; a loss counts their first {limit:,} only ({self._list(too_long)})"
            )

    def _list(self, ids: np.ndarray) -> str:
        shown = ", ".join(str(i + self._first_id) for i in ids[:SHOWN].tolist())
        return f"{'line' if self.name == 'input' else 'id'} {shown}{', ...' if len(ids) > SHOWN else ''}"


def within_positions(sample: dict, limit: int, pad: int) -> dict:
    """A batch whose targets have at most ``limit`` symbols, for a loss.

    Args:
        sample: as the collater makes it; it is not changed, since BLEU needs the whole targets.
        limit: the positions that the decoder has.
        pad: the padding id.
    """
    target = sample["target"]
    if target.size(1) <= limit:
        return sample
    # Keep the end where padding stands in front, since there the short targets are.
    columns = slice(-limit, None) if (target[:, 0] == pad).any() else slice(limit)
    net_input = dict(sample["net_input"])
    net_input["prev_output_tokens"] = net_input["prev_output_tokens"][:, columns]
    target = target[:, columns].contiguous()
    ntokens = int(target.ne(pad).sum())
    return {**sample, "target": target, "net_input": net_input, "ntokens": ntokens}
