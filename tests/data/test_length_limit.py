"""Output lengths: the limit does not depend on the batch."""

import logging

import pytest

pytest.importorskip("fairseq")

import torch
from fairseq.data import Dictionary
from fairseq.search import BeamSearch
from fairseq.sequence_generator import SequenceGenerator

from fairseq_subword_ext.data import length_limit


class Encoder(torch.nn.Module):
    def forward_torchscript(self, net_input):
        return {"encoder_out": []}

    def reorder_encoder_out(self, encoder_out, order):
        return encoder_out


class Decoder(torch.nn.Module):
    """Never ends by itself: </s> is the least likely symbol, and symbol 4 the most likely."""

    def __init__(self, symbols):
        super().__init__()
        self.symbols = symbols

    def forward(self, tokens, encoder_out=None):
        scores = torch.zeros(*tokens.shape, self.symbols)
        scores[:, :, 4] = 5.0
        scores[:, :, 2] = -9.0
        return scores, None


class EndlessModel(torch.nn.Module):
    def __init__(self, symbols, positions):
        super().__init__()
        self.encoder, self.decoder, self.positions = Encoder(), Decoder(symbols), positions

    def max_decoder_positions(self):
        return self.positions

    def get_normalized_probs(self, output, log_probs, sample):
        return torch.log_softmax(output[0], dim=-1)


@pytest.fixture
def dictionary():
    made = Dictionary()
    for symbol in "abcdef":
        made.add_symbol(symbol)
    return made


def generate(dictionary, lengths, positions=1000, prefix=None, min_len=1, **limits):
    """Outputs for sources of these lengths, left-padded in one batch."""
    model = EndlessModel(len(dictionary), positions)
    generator = SequenceGenerator([model], dictionary, beam_size=2, min_len=min_len, **limits)
    length_limit.limit_by_sentence(generator)
    width = max(lengths)
    tokens = torch.full((len(lengths), width), dictionary.pad())
    for row, length in enumerate(lengths):
        tokens[row, width - length :] = 5
    sample = {"net_input": {"src_tokens": tokens, "src_lengths": torch.tensor(lengths)}}
    return generator, sample, generator.generate([model], sample, prefix_tokens=prefix)


def symbols(hypotheses):
    """Lengths of the best outputs, without </s>."""
    return [len(found[0]["tokens"]) - 1 for found in hypotheses]


def test_the_limit_depends_only_on_the_sentence(dictionary):
    _, _, together = generate(dictionary, [3, 9, 5], max_len_a=2, max_len_b=1)
    assert symbols(together) == [7, 19, 11]
    for position, length in enumerate([3, 9, 5]):
        _, _, alone = generate(dictionary, [length], max_len_a=2, max_len_b=1)
        for one, other in zip(alone[0], together[position]):
            assert torch.equal(one["tokens"], other["tokens"])
            assert float(one["score"]) == pytest.approx(float(other["score"]))


def test_fairseqs_default_of_200_symbols_makes_room_for_bytes_and_characters(dictionary):
    generator, _, found = generate(dictionary, [50])
    assert symbols(found) == [350]
    assert (generator.max_len_a, generator.max_len_b) == length_limit.DEFAULT_LIMIT
    assert symbols(generate(dictionary, [50], max_len_b=199)[2]) == [199]


def test_the_decoders_positions_are_also_a_limit(dictionary):
    generator, sample, found = generate(dictionary, [9, 3], positions=15, max_len_a=2, max_len_b=1)
    assert symbols(found) == [14, 7]
    assert length_limit.at_limit(generator, sample, found) == [0, 1]


def test_outputs_at_the_limit_are_counted_and_reported(dictionary, caplog):
    generator, sample, found = generate(dictionary, [3, 9], max_len_a=2, max_len_b=1)
    found[0][0]["tokens"] = found[0][0]["tokens"][:5]
    assert length_limit.at_limit(generator, sample, found) == [1]
    count = length_limit.LimitCount()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            count.add(generator, sample, found)
    assert count.outputs == 2
    assert "1 of 2 outputs reached the length limit of 2 * source length + 1" in caplog.text
    assert "(2 outputs so far" in caplog.text


def test_other_generators_have_no_limit_to_reach():
    assert length_limit.at_limit(object(), {}, [[]]) == []


def test_a_minimum_length_and_a_forced_prefix_override_the_limit(dictionary):
    assert symbols(generate(dictionary, [2], max_len_a=0, max_len_b=9, min_len=9)[2]) == [9]
    prefix = torch.tensor([[5, 6, 5, 6], [5, 6, 5, 6]])
    _, _, found = generate(dictionary, [1, 9], max_len_a=1, max_len_b=0, prefix=prefix)
    assert found[0][0]["tokens"].tolist() == [5, 6, 5, 6, 2]
    assert len(found[0]) == 2  # the other hypothesis of the beam must come from somewhere
    assert symbols(found) == [4, 9]


def test_the_wrapped_search_keeps_its_state(dictionary):
    inner = BeamSearch(dictionary)
    calls = []
    inner.init_constraints = lambda *args: calls.append(("init", *args))
    inner.prune_sentences = lambda *args: calls.append(("prune", *args))
    inner.update_constraints = lambda *args: calls.append(("update", *args))
    outer = length_limit.SentenceLengthLimit(inner, dictionary, 1, 2)
    outer.init_constraints(None, 5)
    outer.prune_sentences("idx")
    outer.update_constraints("hypos")
    assert calls == [("init", None, 5), ("prune", "idx"), ("update", "hypos")]
