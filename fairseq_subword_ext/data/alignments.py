"""Makes alignments refer to the source pieces of the data."""

from typing import List, Sequence

import torch

from fairseq_subword_ext.data.common_dictionary import CommonDictionary
from fairseq_subword_ext.replace_unk import Alignment


def hide_tokens(generator, hidden: Sequence[int]) -> None:
    """Makes a generator's alignments skip the tokens that the task puts before the sources.

    Args:
        generator: a generator; one without alignments is left unchanged.
        hidden: the ids of the tokens.
    """
    extract = getattr(generator, "extract_alignment", None)
    if extract is None:
        return
    ids = torch.tensor(hidden)

    def without_tokens(attention, source, target, pad, eos):
        # Fairseq skips padding, wherever it is.
        source = source.masked_fill(torch.isin(source, ids.to(source.device)), pad)
        return extract(attention, source, target, pad, eos)

    generator.extract_alignment = without_tokens


def add_pieces(hypotheses: list, sample: dict, dictionary: CommonDictionary) -> None:
    """Adds to alignments the source pieces that they refer to.

    Args:
        hypotheses: those of a batch, as the generator returns them; changed in place.
        sample: the batch; its ``source_text``, if any, spells out unknown words.
        dictionary: the dictionary of the source.
    """
    for number, found in enumerate(hypotheses):
        for hypothesis in found:
            alignment = hypothesis["alignment"]
            if isinstance(alignment, Alignment):
                alignment.source = _pieces(sample, number, dictionary)


def _pieces(sample: dict, number: int, dictionary: CommonDictionary) -> List[str]:
    if "source_text" in sample:
        return sample["source_text"][number].split()
    tokens = sample["net_input"]["src_tokens"][number]
    skipped = {dictionary.pad(), dictionary.eos(), *dictionary.language_token_ids()}
    return [dictionary[token] for token in tokens.tolist() if token not in skipped]
