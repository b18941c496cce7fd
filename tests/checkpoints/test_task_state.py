"""The checkpoint that a run starts from, and its task state."""

from argparse import Namespace

import torch

from fairseq_subword_ext.checkpoints.task_state import read_task_state, starting_checkpoint


def options(tmp_path, **given):
    return Namespace(
        **{
            "restore_file": "checkpoint_last.pt",
            "save_dir": str(tmp_path),
            "finetune_from_model": None,
            "continue_once": None,
            **given,
        }
    )


def test_the_starting_checkpoint_is_the_one_that_fairseq_takes(tmp_path):
    parent, last = tmp_path / "parent.pt", tmp_path / "checkpoint_last.pt"
    assert starting_checkpoint(options(tmp_path)) is None
    assert starting_checkpoint(options(tmp_path, finetune_from_model=str(parent))) is None
    parent.touch()
    assert starting_checkpoint(options(tmp_path, finetune_from_model=str(parent))) == parent
    assert starting_checkpoint(options(tmp_path, restore_file=str(parent))) == parent
    last.touch()
    assert starting_checkpoint(options(tmp_path, finetune_from_model=str(parent))) == last
    assert starting_checkpoint(options(tmp_path, restore_file=str(tmp_path / "none.pt"))) is None


def test_reading_the_state_of_the_task(tmp_path):
    path = tmp_path / "checkpoint.pt"
    torch.save({"task_state": {"a": 1}, "model": {"w": torch.zeros(3)}}, path)
    assert read_task_state(path) == {"a": 1}
    torch.save({"args": None, "model": {}}, path)
    assert read_task_state(path) == {}
