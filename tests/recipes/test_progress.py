"""The progress that recipes print during training."""

import pytest
from recipes.engine.progress import Progress, duration

INNER = "2026-01-01 | INFO | train_inner | epoch 001:   {0} / 272 loss=10.4, ups=0.11, num_updates={0}, lr=0.1"
HYDRA = "[2026-01-01 12:00:00,000][train_inner][INFO] - epoch 001:   {0} / 272 loss=10.4, ups=0.11, num_updates={0}, lr=0.1"


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def follow(progress, clock, start, stop, seconds_per_update, line=INNER):
    """Feeds one line every ten updates; returns the messages."""
    said = []
    for update in range(start, stop + 1, 10):
        clock.now += 10 * seconds_per_update
        said.append(progress.read(line.format(update)))
    return [message for message in said if message]


@pytest.mark.parametrize("line", [INNER, HYDRA], ids=["fairseq-train", "fairseq-hydra-train"])
def test_update_speed_and_time_left(line):
    clock = Clock()
    progress = Progress(1000, clock=clock)
    assert follow(progress, clock, 10, 60, 0.5, line) == [  # a line every five seconds
        "update 10 of 1000",
        "update 30 of 1000, 2 per second (8 min 5 s left)",
        "update 50 of 1000, 2 per second (7 min 55 s left)",
    ]


def test_the_last_update_is_always_reported():
    clock = Clock()
    said = follow(Progress(30, clock=clock), clock, 10, 30, 0.1)
    assert said == ["update 10 of 30", "update 30 of 30, 10 per second (0 s left)"]


def test_epochs_give_the_number_of_updates():
    """40 epochs of 272 batches; the paper's schedule counts epochs."""
    clock = Clock()
    progress = Progress(None, epochs=40, clock=clock)
    follow(progress, clock, 10, 20, 1)
    assert progress.updates == 40 * 272
    progress = Progress(100, epochs=40, clock=clock)
    follow(progress, clock, 10, 20, 1)
    assert progress.updates == 100


def test_the_time_limit_shortens_what_is_left():
    clock = Clock()
    progress = Progress(1000, seconds=60, clock=clock)
    said = follow(progress, clock, 10, 30, 1)
    assert said[-1] == "update 30 of 1000, 1 per second (30 s left until --minutes)"
    progress = Progress(40, seconds=1e6, clock=clock)
    assert follow(progress, clock, 10, 30, 1)[-1] == "update 30 of 40, 1 per second (10 s left)"


def test_checkpoints_and_validation():
    progress = Progress(1600)
    assert progress.kept == 0
    loaded = (
        "INFO | fairseq.trainer | Loaded checkpoint a b/checkpoint_last.pt (epoch 2 @ 400 updates)"
    )
    assert progress.read(loaded) == "resuming from update 400" and progress.kept == 400
    valid = (
        "INFO | valid | epoch 002 | valid on 'valid' subset | loss 5.25 | nll_loss 4 | wps 9 | "
        "num_updates 600 | best_loss 5.25"
    )
    assert progress.read(valid) == "update 600 of 1600: validation loss 5.25"
    saved = "Saved checkpoint b/checkpoint_2_600.pt (epoch 2 @ 600 updates, score 5.25) (writing took 1 seconds)"
    assert progress.read(saved) is None and progress.kept == 600
    assert progress.read("anything else") is None and not progress.cut_short
    progress.read(
        "[..][fairseq_cli.train][INFO] - Stopping training due to cumulative_training_time: 0.1 > stop_time_hours: 0.1 hour(s)"
    )
    assert progress.cut_short


def test_durations():
    assert (duration(59.4), duration(59.6)) == ("59 s", "1 min 0 s")
    assert (duration(475), duration(7260)) == ("7 min 55 s", "2 h 1 min")
