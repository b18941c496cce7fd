"""The search compared to Fairseq's own, on random models."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("onnxruntime")
torch = pytest.importorskip("torch")
pytest.importorskip("fairseq")

from fairseq.data import Dictionary  # noqa: E402
from fairseq.models import FairseqEncoderDecoderModel, FairseqIncrementalDecoder  # noqa: E402
from fairseq.models.fairseq_encoder import FairseqEncoder  # noqa: E402
from fairseq.sequence_generator import SequenceGenerator  # noqa: E402
from made_export import random_table  # noqa: E402

from fairseq_subword_ext.data.length_limit import SentenceLengthLimit  # noqa: E402
from fairseq_subword_ext.runtime.beam_search import (  # noqa: E402
    SearchOptions,
    check_options,
    length_limits,
    translate_batch,
)
from fairseq_subword_ext.runtime.export_folder import EOS, PAD  # noqa: E402
from fairseq_subword_ext.runtime.sessions import Sources  # noqa: E402

SYMBOLS, POSITIONS = 24, 40


class TableModel:
    """What :class:`.ExportedModel` does, in numpy: the next symbol depends on the last one, on the
    source's first one, and on the one before the last, which the state between the steps holds."""

    symbols = SYMBOLS

    def __init__(self, table):
        self.table = table

    def encode(self, rows):
        self.past = None
        return Sources(rows[:, None, None], [rows])

    def step(self, asked, sources):
        last = asked.tokens.reshape(-1)
        older = np.full_like(last, EOS) if self.past is None else self.past[asked.parents]
        self.past = last
        start = np.repeat(sources.layers[0][:, 0], asked.tokens.shape[1])
        logits = self.table[last] + self.table[start] + 0.5 * self.table[older]
        lprobs = torch.log_softmax(torch.tensor(logits), -1).numpy() + asked.bias
        lprobs = lprobs.reshape(*asked.tokens.shape, -1)
        others = np.arange(SYMBOLS) != EOS
        lprobs = np.where(asked.at_limit[:, None, None] & others, -np.inf, lprobs)
        total = (lprobs + asked.scores[:, :, None]).reshape(len(lprobs), -1)
        best, numbers = torch.topk(torch.tensor(total), 2 * asked.tokens.shape[1])
        return best.numpy(), numbers.numpy()


class TableEncoder(FairseqEncoder):
    def forward(self, src_tokens, src_lengths=None, **unused):
        return {"encoder_out": [src_tokens]}

    def reorder_encoder_out(self, encoder_out, new_order):
        return {"encoder_out": [encoder_out["encoder_out"][0].index_select(0, new_order)]}


class TableDecoder(FairseqIncrementalDecoder):
    def __init__(self, dictionary, table):
        super().__init__(dictionary)
        self.table = torch.tensor(table)

    def forward(self, tokens, encoder_out=None, incremental_state=None, **unused):
        last = tokens[:, -1]
        older = tokens[:, -2] if tokens.size(1) > 1 else torch.full_like(last, EOS)
        start = encoder_out["encoder_out"][0][:, 0]
        logits = self.table[last] + self.table[start] + 0.5 * self.table[older]
        return logits.unsqueeze(1), None

    def max_positions(self):
        return POSITIONS


def fairseq_hypotheses(table, sources, options):
    """[(symbols without </s>, score), ...] of each sentence, from a batch of all."""
    dictionary = Dictionary()
    for number in range(SYMBOLS - 4):
        dictionary.add_symbol(f"s{number}")
    model = FairseqEncoderDecoderModel(TableEncoder(dictionary), TableDecoder(dictionary, table))
    generator = SequenceGenerator(
        [model],
        dictionary,
        beam_size=options.beam,
        max_len_a=options.max_len_a,
        max_len_b=options.max_len_b,
        min_len=options.min_len,
        normalize_scores=not options.unnormalized,
        len_penalty=options.lenpen,
        unk_penalty=options.unkpen,
        tokens_to_suppress=tuple(dictionary[number] for number in options.suppressed),
    )
    generator.search = SentenceLengthLimit(
        generator.search, dictionary, options.max_len_a, options.max_len_b
    )
    generator.should_set_src_lengths = True
    lengths = [len(source) for source in sources]
    tokens = torch.full((len(sources), max(lengths)), PAD)
    for row, source in zip(tokens, sources):
        row[: len(source)] = torch.tensor(source)
    batch = {"net_input": {"src_tokens": tokens, "src_lengths": torch.tensor(lengths)}}
    return [
        [(found["tokens"][:-1].tolist(), float(found["score"])) for found in best]
        for best in generator.generate([model], batch)
    ]


TIE = 1e-5


def assert_same(ours, theirs, best=None):
    """Same scores and same symbols; only hypotheses whose scores are equal may change places.

    The table's model gives the same score to outputs with the same transitions in another order, and
    rounding then decides which is first, or which is the last one kept.

    Args:
        best: how many to compare; None for all.
    """
    best = len(theirs) if best is None else best
    assert len(ours) >= best
    assert np.allclose(
        [h.score for h in ours[:best]], [score for _, score in theirs[:best]], atol=1e-4
    )
    for hypothesis in ours[:best]:
        tied = [symbols for symbols, score in theirs if abs(score - hypothesis.score) < TIE]
        with_the_last = abs(theirs[-1][1] - hypothesis.score) < TIE and len(theirs) > 1
        assert hypothesis.symbols in tied or with_the_last


searches = st.builds(
    SearchOptions,
    beam=st.integers(1, 6),
    lenpen=st.sampled_from([1.0, 0.0, 0.6, 1.7]),
    unnormalized=st.booleans(),
    unkpen=st.sampled_from([0.0, 3.0, -2.0]),
    min_len=st.integers(0, 4),
    max_len_a=st.sampled_from([0.0, 0.5, 2.0]),
    max_len_b=st.integers(4, 12),
    suppressed=st.sampled_from([(), (5, 9)]),
)
sentences = st.lists(st.lists(st.integers(4, SYMBOLS - 1), min_size=0, max_size=6), min_size=1, max_size=5)  # fmt: skip


@given(st.integers(0, 10**6), st.sampled_from([0.5, 1.5, 4.0]), sentences, searches)
@settings(max_examples=25)
def test_all_hypotheses_are_fairseqs_for_one_sentence_at_a_time(seed, spread, rows, options):
    table = random_table(SYMBOLS, seed, spread)
    sources = [[*row, EOS] for row in rows]
    found = translate_batch(TableModel(table), sources, options, POSITIONS)
    for source, ours in zip(sources, found):
        assert_same(ours, fairseq_hypotheses(table, [source], options)[0])


@given(st.integers(0, 10**6), sentences, searches)
@settings(max_examples=15)
def test_the_best_hypothesis_is_fairseqs_in_any_batch(seed, rows, options):
    table = random_table(SYMBOLS, seed)
    sources = [[*row, EOS] for row in rows]
    found = translate_batch(TableModel(table), sources, options, POSITIONS)
    for ours, theirs in zip(found, fairseq_hypotheses(table, sources, options)):
        assert_same(ours, theirs, best=1)


def test_outputs_at_the_limit_are_marked():
    table = random_table(SYMBOLS)
    table[:, EOS] = -50  # never ends by itself
    options = SearchOptions(beam=2, max_len_a=1, max_len_b=2)
    found = translate_batch(TableModel(table), [[4, EOS], [4, 5, 6, EOS]], options, POSITIONS)
    assert [[len(h.symbols) for h in best] for best in found] == [[4, 4], [6, 6]]
    assert all(h.at_limit for best in found for h in best)
    table[:, EOS] = 50
    found = translate_batch(TableModel(table), [[4, EOS]], options, POSITIONS)
    assert len(found[0][0].symbols) == 1 and not found[0][0].at_limit


def test_limits_never_exceed_the_models_positions():
    options = SearchOptions(max_len_a=2.5, max_len_b=3, min_len=1)
    assert length_limits([1, 4, 100], options, 40).tolist() == [5, 13, 39]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"beam": 0}, "--beam 0: expected 1 to 11"),
        ({"beam": 12}, "--beam 12: expected 1 to 11"),
        ({"min_len": 40}, "--min-len 40: expected 0 to 39"),
        ({"min_len": -1}, "--min-len -1"),
        ({"max_len_b": -1}, "must not be negative"),
    ],
)
def test_impossible_searches_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        check_options(SearchOptions(**change), SYMBOLS, POSITIONS)
