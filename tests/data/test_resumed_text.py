"""The text of a run that resumes; tests/tasks/test_resuming_on_other_text.py trains."""

import pytest

pytest.importorskip("fairseq")

from omegaconf import OmegaConf

from fairseq_subword_ext.data import resumed_text
from fairseq_subword_ext.data.resumed_text import ResumedText

TRAIN, VALID = {"train.de-en.de": "1", "train.de-en.en": "2"}, {"valid.de-en.de": "3"}


class Runs:
    """Runs of one save folder, on the texts ``name -> SHA-256`` of a data folder."""

    def __init__(self, place, monkeypatch):
        self.place, self.data = place, f"{place}/text"
        self.state = {}
        monkeypatch.setattr(resumed_text, "read_checkpoint", lambda path, **options: self.state)

    def start(self, **options):
        checkpoint = {
            "save_dir": str(self.place), "restore_file": "checkpoint_last.pt", "reset_dataloader": False,
            "finetune_from_model": None, **options,
        }  # fmt: skip
        config = OmegaConf.create({"task": {"data": self.data}, "checkpoint": checkpoint})
        return ResumedText(config.task)

    def read(self, run, texts, folder=None, split="train"):
        place = self.place / (folder or "text")
        checksums = {place / name: digest for name, digest in texts.items()}
        run.read(split, checksums, trains=split == "train")

    def save(self, run, epoch=1, done=5):
        """As Fairseq does: the epoch to resume with, and how many of its updates are done."""
        iterator = {"epoch": epoch, "iterations_in_epoch": done}
        self.state = {"task_state": run.state_dict(), "extra_state": {"train_iterator": iterator}}
        (self.place / "checkpoint_last.pt").touch()


@pytest.fixture
def runs(tmp_path, monkeypatch):
    return Runs(tmp_path, monkeypatch)


@pytest.fixture
def interrupted(runs):
    run = runs.start()
    runs.read(run, TRAIN)
    runs.read(run, VALID, split="valid")
    runs.save(run)
    return runs


def test_the_same_text(interrupted, caplog):
    run = interrupted.start()
    interrupted.read(run, TRAIN)
    interrupted.read(run, VALID, split="valid")
    assert run.state_dict() == interrupted.state["task_state"]
    assert not caplog.text


CHANGES = {
    "changed": ({"train.de-en.de": "9"}, (), r"train\.de-en\.de has changed;"),
    "new": ({"train1.de-en.de": "9"}, (), r"train1\.de-en\.de is new;"),
    "missing": ({}, ("train.de-en.en",), r"train\.de-en\.en is missing;"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_text_within_an_epoch(change, interrupted, caplog):
    more, without, message = CHANGES[change]
    texts = {name: each for name, each in {**TRAIN, **more}.items() if name not in without}
    checkpoint = f"the train text is not that of {interrupted.place}/checkpoint_last.pt: "
    with pytest.raises(ValueError, match=f"^{checkpoint}{message} .* middle of epoch 1: ") as error:
        interrupted.read(interrupted.start(), texts)
    assert "\n" not in str(error.value)
    run = interrupted.start(reset_dataloader=True)
    interrupted.read(run, texts)
    interrupted.save(run)
    interrupted.read(interrupted.start(), texts)
    assert not caplog.text


def test_another_text_between_epochs(interrupted, caplog):
    run = interrupted.start()
    interrupted.read(run, TRAIN)
    interrupted.save(run, epoch=3, done=0)
    run = interrupted.start()
    for _ in range(2):  # the next epoch has the same text
        interrupted.read(run, {**TRAIN, "train.de-en.de": "9", "train1.de-en.de": "9"})
    assert caplog.text.count("train.de-en.de has changed; epoch 3 is the first to use") == 1
    assert caplog.text.count("is not that of") == 1


def test_another_validation_text(interrupted, caplog):
    interrupted.read(interrupted.start(), {"valid.de-en.de": "9"}, split="valid")
    assert "valid.de-en.de has changed; scores before and after it cannot be" in caplog.text


def test_text_that_was_moved(interrupted):
    interrupted.data = f"{interrupted.place}/moved"
    interrupted.read(interrupted.start(), TRAIN, folder="moved")


def test_folders_that_epochs_take_in_turn(runs, caplog):
    """Texts of the same name in different folders are different texts."""
    runs.data = f"{runs.place}/text:{runs.place}/more"
    run = runs.start()
    runs.read(run, TRAIN)
    runs.save(run, epoch=2, done=0)
    other = {**TRAIN, "train.de-en.de": "9"}
    for done in (1, 2):
        run = runs.start()
        runs.read(run, other, folder="more")
        runs.save(run, epoch=2, done=done)
    assert not caplog.text
    with pytest.raises(
        ValueError, match=r": \.\./more/train\.de-en\.de has changed; .* of epoch 2"
    ):
        runs.read(runs.start(), TRAIN, folder="more")


def test_runs_that_take_no_place_over(interrupted, tmp_path, caplog):
    other = {"train.de-en.de": "9"}
    parent = tmp_path / "checkpoint_last.pt"
    parent = parent.rename(tmp_path / "parent.pt")
    interrupted.read(interrupted.start(finetune_from_model=str(parent)), other)
    interrupted.read(interrupted.start(), other)  # no checkpoint
    with pytest.raises(ValueError, match=r"not that of .*parent\.pt: "):
        interrupted.read(interrupted.start(restore_file=str(parent)), other)
    interrupted.state = {"task_state": {}}  # trained on binarized data
    interrupted.read(interrupted.start(restore_file=str(parent)), other)
    assert not caplog.text
