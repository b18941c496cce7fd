"""Order, batches and truncation of the dataset, on synthetic arrays."""

import logging

import numpy as np
import pytest

pytest.importorskip("fairseq")

import torch
from fairseq.data import Dictionary, iterators

from fairseq_subword_ext.data.evaluation_pairs import (
    EvaluationPairs,
    InputLines,
    within_positions,
)
from fairseq_subword_ext.data.language_sampling import LanguageSampler
from fairseq_subword_ext.data.training_pairs import TrainingPairs

SIZES = {"de": 60, "ru": 3, "si": 20}


@pytest.fixture
def dictionary():
    made = Dictionary()
    for number in range(20):
        made.add_symbol(f"s{number}")
    return made


@pytest.fixture
def make(dictionary):
    """Makes a dataset with random lengths: a sentence of id i begins with symbol 4 + i % 20."""

    def build(sizes=SIZES, longest=9, with_targets=True, training=False, **kwargs):
        random = np.random.default_rng(0)
        total = sum(sizes.values())
        sides = []
        for _ in range(2):
            lengths = random.integers(1, longest + 1, total)
            sides.append(
                [
                    torch.tensor([4 + i % 20] * (length - 1) + [dictionary.eos()])
                    for i, length in enumerate(lengths)
                ]
            )
        source, target = sides
        return (TrainingPairs if training else EvaluationPairs)(
            source,
            [len(tokens) for tokens in source],
            dictionary,
            target if with_targets else None,
            [len(tokens) for tokens in target] if with_targets else None,
            languages=sizes,
            **kwargs,
        )

    return build


def batches_of(dataset, max_positions=(1024, 1024), **kwargs):
    indices, left_out = dataset.filter_indices_by_size(dataset.ordered_indices(), max_positions)
    assert len(left_out) == 0
    return dataset.batch_by_size(indices, **kwargs)


def ids(batches):
    return sorted(int(i) for batch in batches for i in batch)


def test_ids_are_contiguous_by_language(make):
    dataset = make()
    assert dataset.language_ranges() == [("de", 0, 60), ("ru", 60, 3), ("si", 63, 20)]
    assert dataset.language_index([0, 59, 60, 62, 63, 82]).tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("lines", [1, 3, 5, 7, 8, 9, 13])
@pytest.mark.parametrize("limit", [{"max_tokens": 40}, {"max_sentences": 4}, {"max_tokens": 1000}])
def test_no_line_is_lost_if_a_batch_is_not_a_multiple_of_eight(make, training, lines, limit):
    dataset = make({"si": lines}, training=training)
    batches = batches_of(dataset, required_batch_size_multiple=8, **limit)
    assert ids(batches) == list(range(lines))
    for batch in batches:
        assert len(batch) <= limit.get("max_sentences", lines)
        if "max_tokens" in limit:
            longest = max(dataset.num_tokens(i) for i in batch)
            assert longest * len(batch) <= limit["max_tokens"]


def test_an_evaluation_batch_has_one_language_if_asked_for(make):
    dataset = make(by_language=True)
    batches = batches_of(dataset, max_tokens=100)
    assert ids(batches) == list(range(83))
    languages = []
    for batch in batches:
        sample = dataset.collater([dataset[i] for i in batch])
        assert len({int(index) for index in dataset.language_index(batch)}) == 1
        languages.append(sample["language"])
    assert set(languages) == {"de", "ru", "si"} and languages == sorted(languages)
    mixed = make()
    assert len(batches_of(mixed, max_tokens=1000)) == 1
    assert "language" not in mixed.collater([mixed[0], mixed[82]])


def test_a_training_batch_mixes_languages_and_pads_little(make):
    dataset = make({"de": 6000, "si": 6000}, training=True, longest=30)
    batches = batches_of(dataset, max_tokens=300)
    assert ids(batches) == list(range(12000))
    assert np.mean([len(np.unique(dataset.language_index(batch))) for batch in batches]) > 1.5
    for sizes, least in ((dataset.src_sizes, 0.92), (dataset.tgt_sizes, 0.99)):
        real = sizes.sum() / sum(sizes[batch].max() * len(batch) for batch in batches)
        assert real > least
    assert "language" not in dataset.collater([dataset[0], dataset[1]])


def test_the_training_order_depends_only_on_the_seed(make):
    one, two = make(training=True), make(training=True)
    two.set_epoch(7)
    np.random.seed(123)
    two.ordered_indices()
    assert np.array_equal(one.ordered_indices(), two.ordered_indices())
    assert one.can_reuse_epoch_itr_across_epochs
    assert not np.array_equal(one.ordered_indices(), make(training=True, seed=2).ordered_indices())


def test_with_a_sampler_every_epoch_differs_and_is_reproducible(make):
    dataset, again = (
        make(training=True, sampler=LanguageSampler(SIZES, temperature=5.0)) for _ in range(2)
    )
    assert not dataset.can_reuse_epoch_itr_across_epochs
    orders = []
    for epoch in (1, 2):
        dataset.set_epoch(epoch)
        orders.append(dataset.ordered_indices())
    assert not np.array_equal(*orders)
    again.set_epoch(2)
    assert np.array_equal(again.ordered_indices(), orders[1])
    assert len(orders[0]) == 83
    assert (
        np.bincount(dataset.language_index(orders[0])).tolist() == dataset.sampler.counts.tolist()
    )


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_workers_share_an_epoch_without_repeats(make, temperature):
    sampler = LanguageSampler(SIZES, temperature)
    dataset = make(training=True, sampler=sampler)
    batches = batches_of(dataset, max_tokens=50)
    shards = [
        list(iterators.ShardedIterator(batches, num_shards=3, shard_id=shard, fill_value=[]))
        for shard in range(3)
    ]
    assert len({len(shard) for shard in shards}) == 1
    assert ids([batch for shard in shards for batch in shard]) == sorted(sampler.draw(1).tolist())


def test_evaluation_keeps_the_order_of_equal_lengths_and_reads_a_subset_only(make):
    dataset = make(subset=np.array([2, 3, 61, 70]))
    assert ids(batches_of(dataset, max_tokens=100)) == [2, 3, 61, 70]
    assert dataset.languages_in_use() == ["de", "ru", "si"]
    assert make(subset=np.array([5])).languages_in_use() == ["de"]


def test_long_sources_are_cut_and_reported_in_evaluation(make, caplog, dictionary):
    dataset = make(longest=12, name="test")
    long = np.flatnonzero(dataset.src_sizes > 5)
    with caplog.at_level(logging.WARNING):
        batches = batches_of(dataset, max_positions=(5, 1024), max_tokens=100)
    assert ids(batches) == list(range(83))
    assert f"test: {len(long)} of 83 sources are longer than 5 tokens and were cut" in caplog.text
    assert f"id {long[0]}, {long[1]}" in caplog.text
    for index in range(83):
        source = dataset[index]["source"]
        assert len(source) == dataset.src_sizes[index] <= 5
        assert source[-1] == dictionary.eos()
        assert (source[:-1] == 4 + index % 20).all()


def test_long_pairs_are_left_out_of_training_or_cut_when_asked(make):
    dataset = make(longest=12, training=True)
    kept, left_out = dataset.filter_indices_by_size(dataset.ordered_indices(), (5, 12))
    assert sorted(left_out) == np.flatnonzero(dataset.src_sizes > 5).tolist()
    assert len(kept) + len(left_out) == 83
    cutting = make(longest=12, training=True, cut_long_sources=True)
    kept, left_out = cutting.filter_indices_by_size(cutting.ordered_indices(), (5, 6))
    assert sorted(left_out) == np.flatnonzero(cutting.tgt_sizes > 6).tolist()
    assert cutting.src_sizes.max() == 5


def test_a_line_longer_than_max_tokens_gets_its_own_batch_in_evaluation(make):
    batches = batches_of(make(longest=12), max_tokens=3)
    assert ids(batches) == list(range(83))


def test_long_targets_are_reported_but_stay_whole(make, caplog):
    dataset = make(longest=12, name="valid")
    with caplog.at_level(logging.WARNING):
        batches_of(dataset, max_positions=(1024, 6), max_tokens=100)
    long = int((dataset.tgt_sizes > 6).sum())
    assert f"valid: {long} of 83 targets are longer than 6 tokens" in caplog.text
    assert max(len(dataset[i]["target"]) for i in range(83)) == 12


@pytest.mark.parametrize("left_pad_target", [False, True])
def test_a_loss_sees_no_more_tokens_than_the_decoder_has_positions(
    make, dictionary, left_pad_target
):
    dataset = make(longest=12, left_pad_target=left_pad_target)
    sample = dataset.collater([dataset[i] for i in range(10)])
    width = sample["target"].size(1)
    cut = within_positions(sample, 6, dictionary.pad())
    assert cut["target"].shape == cut["net_input"]["prev_output_tokens"].shape == (10, 6)
    assert cut["ntokens"] == int(np.minimum(dataset.tgt_sizes[:10], 6).sum())
    assert sample["target"].size(1) == width > 6  # BLEU reads the whole target
    assert within_positions(sample, width, dictionary.pad()) is sample


def test_language_tokens_precede_each_source_and_count(make, dictionary):
    plain = make()
    marked = make(language_tokens={"de": 10, "ru": 11, "si": 12})
    for index, token in ((0, 10), (60, 11), (82, 12)):
        assert marked[index]["source"].tolist() == [token, *plain[index]["source"].tolist()]
        assert torch.equal(marked[index]["target"], plain[index]["target"])
    assert np.array_equal(marked.src_sizes, plain.src_sizes + 1)
    batches_of(marked, max_positions=(3, 1024), max_tokens=100)
    long = int(np.flatnonzero(plain.src_sizes > 3)[-1])
    assert marked[long]["source"].tolist() == [12, 4 + long % 20, dictionary.eos()]


def test_input_lines_have_no_language_and_consecutive_numbers(dictionary, caplog):
    lines = [torch.tensor([5] * length + [2]) for length in (3, 0, 9)]
    dataset = InputLines(lines, [4, 1, 10], dictionary, languages={}, first_line=100)
    with caplog.at_level(logging.WARNING):
        batches = batches_of(dataset, max_positions=(5, 5), max_sentences=1)
    assert ids(batches) == [0, 1, 2]
    assert (
        "input: 1 of 3 sources are longer than 5 tokens and were cut there (line 102)"
        in caplog.text
    )


def test_nothing_to_batch(make):
    assert make(training=True).batch_by_size(np.array([], dtype=np.int64), max_tokens=10) == []
