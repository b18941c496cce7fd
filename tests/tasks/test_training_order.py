"""An interrupted run resumes with the batches that it would have had."""

import pytest

pytest_plugins = ["task_helpers"]

SAMPLING = {
    "concatenation": [],
    "temperature": ["--sampling-temperature", 5],
    "weights": ["--sampling-weights", "ru=4,de=0.5", "--update-freq", 2],
    "new-batches": ["--update-epoch-batch-itr", "True"],
}


@pytest.mark.parametrize("options", SAMPLING.values(), ids=SAMPLING.keys())
def test_resuming_in_the_middle_of_an_epoch_keeps_the_order(train, options, tmp_path):
    options = [*options, "--max-tokens", 150, "--max-epoch", 3, "--disable-validation"]
    whole = train(*options, "--no-save").scores("loss", "train_inner")
    epoch = len(whole) // 3
    assert epoch > 3 and len(set(whole)) > epoch
    parts = []
    for updates in (epoch + 2, 2 * epoch + 1, len(whole)):  # ends in the second and third epoch
        parts += train(*options, "--max-update", updates).scores("loss", "train_inner")
    assert parts == whole


def test_the_order_depends_on_the_seed(train):
    options = ["--sampling-temperature", 5, "--no-save", "--max-tokens", 150]
    one, again = (train(*options).scores("nll_loss", "train_inner") for _ in range(2))
    assert one == again
    # The seed also draws the initial weights, so compare the number of pairs per batch.
    sizes, other = (train(*options, "--seed", seed).scores("bsz", "train_inner") for seed in (1, 2))
    assert sizes != other


def test_shares_of_an_epoch_are_reported(train):
    log = train("--sampling-temperature", 1e6)
    assert "de 40 (drawn 19 times per epoch), ru 3 (drawn 18 times" in log
    assert log.scores("bsz", "train") != []
