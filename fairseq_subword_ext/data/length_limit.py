"""A limit on the output's length that depends on the sentence, and not on the batch around it."""

import logging

import torch
from fairseq import search
from fairseq.sequence_generator import SequenceGenerator

logger = logging.getLogger(__name__)

# Fairseq's own defaults, which cannot be told from the same numbers given on purpose, and what
# stands for them here: 200 symbols are 200 letters where the units are bytes or characters, and a
# sentence of 50 Chinese characters is one of 250 English letters.
FAIRSEQ_LIMIT = (0, 200)
DEFAULT_LIMIT = (3, 200)


# Subtracted from the log-probability of every symbol but </s>. It is not infinite: after a forced prefix
# there may be fewer hypotheses than the beam is wide, and fairseq fails if it cannot fill the list of
# outputs.
UNWANTED = 1e6


class SentenceLengthLimit(search.Search):
    """Lets a search choose nothing but ``</s>`` after max_len_a * (source length) + max_len_b symbols.

    Fairseq applies that formula to the width of the padded batch, so that the same sentence may come
    out otherwise in other company.

    Args:
        inner: the search that does the work.
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
        # A minimum length or a forced prefix continues for as long as it forbids the end.
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
    """Makes a generator's max_len_a and max_len_b count for each sentence on its own."""
    if (generator.max_len_a, generator.max_len_b) == FAIRSEQ_LIMIT:
        generator.max_len_a, generator.max_len_b = DEFAULT_LIMIT
    generator.search = SentenceLengthLimit(
        generator.search, generator.tgt_dict, generator.max_len_a, generator.max_len_b
    )
    generator.should_set_src_lengths = True


def at_limit(generator, sample, hypotheses) -> list:
    """The positions in the batch whose best hypothesis is as long as was allowed."""
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
    """Counts the outputs that are as long as was allowed, and so perhaps unfinished."""

    def __init__(self):
        self.outputs = 0

    def add(self, generator, sample, hypotheses) -> None:
        """Looks at one batch, and says so where there is something to say."""
        reached = len(at_limit(generator, sample, hypotheses))
        if reached:
            self.outputs += reached
            logger.warning(
                f"{reached} of {len(hypotheses)} outputs reached the length limit of {generator.max_len_a:g} "
                f"* source length + {generator.max_len_b:g} symbols ({self.outputs:,} outputs so far; "
                "see --max-len-a and --max-len-b)"
            )
