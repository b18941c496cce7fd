"""Adapts Fairseq's generator, and the hypotheses that it returns, to the X-En tasks."""

from typing import Optional

from fairseq.sequence_generator import SequenceGenerator

from fairseq_subword_ext.data.alignments import add_pieces, hide_tokens
from fairseq_subword_ext.data.common_dictionary import CommonDictionary
from fairseq_subword_ext.data.length_limit import LimitCount, limit_by_sentence


def suppress_language_tokens(
    dictionary: CommonDictionary, args, generator_kwargs: Optional[dict]
) -> dict:
    """The generator's keyword arguments, with the language tokens suppressed in its output.

    Args:
        dictionary: of both sides.
        args: the options of generation.
        generator_kwargs: the arguments that the caller passes.
    """
    kwargs = dict(generator_kwargs or {})
    tokens = [dictionary[i] for i in dictionary.language_token_ids()]
    if tokens and not getattr(args, "score_reference", False):
        kwargs["tokens_to_suppress"] = (*kwargs.get("tokens_to_suppress", ()), *tokens)
    return kwargs


def adapt_generator(generator, dictionary: CommonDictionary, marked: bool) -> None:
    """Limits the output's length sentence by sentence, and keeps language tokens out of alignments.

    Args:
        generator: the generator that Fairseq built; changed in place.
        dictionary: of both sides.
        marked: whether sources start with ``<lang:xx>``.
    """
    if isinstance(generator, SequenceGenerator) and not generator.match_source_len:
        limit_by_sentence(generator)
    if marked:
        hide_tokens(generator, dictionary.language_token_ids())


class HypothesisReport:
    """Follows the batches of a run: counts outputs at the length limit and completes alignments.

    Args:
        dictionary: of both sides.
    """

    def __init__(self, dictionary: CommonDictionary):
        self._dictionary = dictionary
        self._limit_count = LimitCount()

    def add(self, generator, sample: dict, hypotheses: list) -> None:
        """Reports one batch, and adds the source pieces to its alignments."""
        self._limit_count.add(generator, sample, hypotheses)
        add_pieces(hypotheses, sample, self._dictionary)
