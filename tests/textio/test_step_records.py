"""Records of steps: what makes a step count as done, and what does not."""

import os

import pytest

from fairseq_subword_ext.textio.step_records import StepRecords


@pytest.fixture
def done(tmp_path):
    """A step that is done: its records, inputs and outputs."""
    for name in ("input", "output"):
        (tmp_path / name).write_text(name)
    records = StepRecords(tmp_path / "records")
    inputs, outputs = [tmp_path / "input"], [tmp_path / "output"]
    records.write("step", {"n": 1, "words": ("a", "b")}, inputs, outputs, {"lines": 3})
    return records, inputs, outputs


def test_the_same_step_is_done(done):
    records, inputs, outputs = done
    assert records.read("step", {"n": 1, "words": ("a", "b")}, inputs, outputs) == {"lines": 3}


def test_other_settings(done):
    records, inputs, outputs = done
    assert records.read("step", {"n": 2, "words": ("a", "b")}, inputs, outputs) is None


@pytest.mark.parametrize("which", [1, 2])
@pytest.mark.parametrize("change", ["content", "time", "gone"])
def test_other_files(done, which, change):
    path = done[which][0]
    if change == "content":
        path.write_text("longer content")
    elif change == "time":
        os.utime(path, ns=(1, 1))
    else:
        path.unlink()
    assert done[0].read("step", {"n": 1, "words": ("a", "b")}, *done[1:]) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"settings": 1'])
def test_broken_records(done, content):
    records, inputs, outputs = done
    records.path("step").write_text(content)
    assert records.read("step", {"n": 1, "words": ("a", "b")}, inputs, outputs) is None


def test_forgotten(done):
    records, inputs, outputs = done
    records.forget(["step", "none"])
    assert records.read("step", {"n": 1, "words": ("a", "b")}, inputs, outputs) is None
