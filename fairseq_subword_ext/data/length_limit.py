"""Limits the length of each output by its own source, independently of the batch."""

import logging

import torch
from fairseq import search
from fairseq.sequence_generator import SequenceGenerator

logger = logging.getLogger(__name__)

# Fairseq's defaults (which look the same as these numbers given explicitly) and our replacement: with
# bytes or characters, 200 symbols are only 200 letters, and a sentence of 50 Chinese characters has 250
# letters in English.
FAIRSEQ_LIMIT = (0, 200)
DEFAULT_LIMIT = (3, 200)


# Subtracted from the log-probability of every symbol but </s>. It is finite, because after a forced prefix
# there may be fewer hypotheses than the beam size, and Fairseq fails if it cannot fill its list of outputs.
UNWANTED = 1e6


class SentenceLengthLimit(search.Search):
    """Makes a search end each output after max_len_a * (source length) + max_len_b symbols.

    Fairseq applies the formula to the width of the padded batch, so that its output for a sentence may
    depend on the other sentences of the batch.

    Args:
        inner: the search to wrap.
        tgt_dict: the target dictionary.
        max_len_a, max_len_b: the limit; the source's length counts its ``</s>``.
    """

    def __init__(self, inner: search.Search, tgt_dict, max_len_a: float, max_len_b: float):
        super().__init__(tgt_dict)
        self.inner = inner
        self.max_len_a = max_len_a
        self.max_len_b = max_len_b
        self.supports_constraints = inner.supports_constraints
        self.stop_on_max_len = inner.stop_on_max_len
        self.needs_src_lengths = True

    def limits(self, src_lengths: torch.Tensor) -> torch.Tensor:
        """The limit of each sentence, in symbols without ``</s>``."""
        return (self.max_len_a * src_lengths + self.max_len_b).long()

    def step(self, step, lprobs, scores, prev_output_tokens=None, original_batch_idxs=None):
        end = lprobs[:, :, self.eos]
        # A minimum length or a forced prefix may forbid the end; the output then continues.
        ended = (step >= self.limits(self.src_lengths)) & end.isfinite().any(dim=1)
        if ended.any():
            forced = lprobs - UNWANTED
            forced[:, :, self.eos] = end
            lprobs = torch.where(ended[:, None, None], forced, lprobs)
        return self.inner.step(step, lprobs, scores, prev_output_tokens, original_batch_idxs)

    def set_src_lengths(self, src_lengths):
        self.src_lengths = src_lengths
        self.inner.set_src_lengths(src_lengths)

    def init_constraints(self, batch_constraints, beam_size):
        self.inner.init_constraints(batch_constraints, beam_size)

    def prune_sentences(self, batch_idxs):
        self.inner.prune_sentences(batch_idxs)

    def update_constraints(self, active_hypos):
        self.inner.update_constraints(active_hypos)


def limit_by_sentence(generator: SequenceGenerator) -> None:
    """Makes a generator apply max_len_a and max_len_b to each sentence separately."""
    if (generator.max_len_a, generator.max_len_b) == FAIRSEQ_LIMIT:
        generator.max_len_a, generator.max_len_b = DEFAULT_LIMIT
    generator.search = SentenceLengthLimit(
        generator.search, generator.tgt_dict, generator.max_len_a, generator.max_len_b
    )
    generator.should_set_src_lengths = True


def at_limit(generator, sample, hypotheses) -> list:
    """The positions in the batch whose best hypothesis reached the length limit."""
    if not isinstance(getattr(generator, "search", None), SentenceLengthLimit):
        return []
    limits = generator.search.limits(sample["net_input"]["src_lengths"])
    limits = limits.clamp(max=generator.max_len - 1).tolist()
    return [
        position
        for position, (limit, best) in enumerate(zip(limits, hypotheses))
        if best and len(best[0]["tokens"]) > limit  # </s> is not in the limit
    ]


class LimitCount:
    """Counts the outputs that reached the length limit and so may be unfinished."""

    def __init__(self):
        self.outputs = 0

    def add(self, generator, sample, hypotheses) -> None:
        """Counts those of one batch, and logs a warning if there are any."""
        reached = len(at_limit(generator, sample, hypotheses))
        if reached:
            self.outputs += reached
            logger.warning(
                f"{reached} of {len(hypotheses)} outputs reached the length limit of {generator.max_len_a:g} "
                f"* source length + {generator.max_len_b:g} symbols ({self.outputs:,} outputs so far; "
                "see --max-len-a and --max-len-b)"
            )
