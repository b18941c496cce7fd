"""--finetune-from-model with a used save folder: Fairseq resumes, and silently ignores the file."""

import pytest

pytest_plugins = ["task_helpers"]


def test_a_requeued_run_resumes_with_a_warning(train, checkpoint, tmp_path):
    train("--max-update", 1)
    model = checkpoint.rename(tmp_path / "model.pt")
    first = train("--finetune-from-model", model, "--max-update", 1)
    assert "is not read" not in first
    again = train("--finetune-from-model", model, "--max-update", 2)
    assert f"resuming from {checkpoint}; {model} is not read" in again
    assert again.scores("num_updates", "train")[-1] == 2


@pytest.mark.parametrize("used", [False, True], ids=["new-folder", "used-folder"])
def test_a_model_that_does_not_exist_is_named(train, used, tmp_path):
    if used:
        train("--max-update", 1)
    with pytest.raises(
        FileNotFoundError, match=r"--finetune-from-model: no such file.*nowhere\.pt"
    ):
        train("--finetune-from-model", tmp_path / "nowhere.pt", "--max-update", 2)
