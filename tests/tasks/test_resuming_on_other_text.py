"""Runs on raw text that are interrupted, killed or changed, and resume."""

import multiprocessing
import os
import shutil
import signal

import pytest
from text_helpers import ONE_PAIR, SMALL

from fairseq_subword_ext.cli.main import main as subword
from fairseq_subword_ext.data import text_cache, text_writing
from fairseq_subword_ext.tasks import multilingual_x_en

pytest_plugins = ["task_helpers", "text_helpers"]

TASKS = pytest.mark.parametrize(
    "task", [[], [*ONE_PAIR, "-s", "en", "-t", "de"]], ids=["X-En", "one pair"]
)


def change(path):
    """Another text with the same number of lines."""
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[3] += " a"
    path.write_text("\n".join(lines), encoding="utf-8")


# Text that changes between two runs.


@TASKS
def test_a_changed_text_is_refused_within_an_epoch(task, train_text, raw_corpus, checkpoint):
    train_text(*SMALL, *task, "--max-update", 2)
    saved = checkpoint.read_bytes()
    change(raw_corpus.folder / "train.de-en.en")
    message = (
        rf"the train text is not that of {checkpoint}: train\.de-en\.en has changed; this run would resume in "
        "the middle of epoch 1: restore the old text, or give --reset-dataloader"
    )
    with pytest.raises(ValueError, match=message) as error:
        train_text(*SMALL, *task, "--max-update", 3)
    assert "\n" not in str(error.value)
    assert checkpoint.read_bytes() == saved
    log = train_text(*SMALL, *task, "--max-update", 3, "--reset-dataloader")
    assert "is not that of" not in log


@TASKS
def test_a_changed_text_is_reported_between_epochs(task, train_text, raw_corpus, checkpoint):
    options = [*task, "--bpe-dropout", 0.1]
    train_text(*options)
    change(raw_corpus.folder / "train.de-en.de")
    change(raw_corpus.folder / "valid.de-en.en")
    log = train_text(*options, "--max-epoch", 2)
    train = f"train text is not that of {checkpoint}: train.de-en.de has changed; epoch 2 is the first to"
    valid = f"valid text is not that of {checkpoint}: valid.de-en.en has changed; scores before and after"
    assert train in log and valid in log and log.count("is not that of") == 2


# Runs that are killed.


def killed(function, *arguments):
    """Runs a function in a process that kills itself."""
    process = multiprocessing.get_context("fork").Process(target=function, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def kill_self(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def kill_in_epoch_2(monkeypatch, train_text, checkpoint):
    """A run that is killed in the first update of its second epoch."""

    def run(*options):
        begin_epoch = multilingual_x_en.MultilingualXEnTask.begin_epoch

        def begin_or_die(self, epoch, model):
            begin_epoch(self, epoch, model)
            if epoch == 2:
                monkeypatch.setattr(multilingual_x_en.MultilingualXEnTask, "train_step", kill_self)

        with monkeypatch.context() as patch:
            patch.setattr(multilingual_x_en.MultilingualXEnTask, "begin_epoch", begin_or_die)
            killed(train_text, *SMALL, *options, "--max-epoch", 3)
        (left,) = checkpoint.parent.rglob("epoch-2/contents.json")
        return left.parent

    return run


def test_what_a_killed_run_leaves_is_not_used_with_other_settings(
    kill_in_epoch_2, train_text, batches, segmented, raw_corpus, checkpoint, tmp_path
):
    """With another dropout, then with other codes; compared with a cache that is new."""
    dictionary = tmp_path / "dict"
    assert not subword(["build-dict", "-c", str(raw_corpus.codes), "-o", str(dictionary)])
    left = kill_in_epoch_2("--text-dict", dictionary, "--bpe-dropout", 0.3)
    options = [*SMALL, "--text-dict", dictionary, "--max-epoch", 2, "--no-save", "--bpe-dropout"]
    elsewhere = shutil.copytree(checkpoint.parent, tmp_path / "elsewhere")
    for dropout in (0.4, 0.3):
        shutil.rmtree(elsewhere / "text-cache")
        train_text(*options, dropout, "--save-dir", elsewhere)
        expected = batches()
        assert left.is_dir()
        train_text(*options, dropout)
        assert batches() == expected and len(expected) > 4
        codes = raw_corpus.codes.read_text(encoding="utf-8").splitlines(keepends=True)
        raw_corpus.codes.write_text("".join(codes[:-9]), encoding="utf-8")
    assert [name for name, _ in segmented] == ["epoch-2"] * 4


def test_what_a_killed_run_leaves_is_used_with_the_same_settings(
    kill_in_epoch_2, train_text, segmented
):
    options = ["--bpe-dropout", 0.3]
    left = kill_in_epoch_2(*options)
    log = train_text(*SMALL, *options, "--max-epoch", 2)
    assert f"using the segmented text in {left}" in log and not segmented


def test_a_run_that_is_killed_while_it_segments(
    train_text, batches, checkpoint, monkeypatch, tmp_path
):
    options = [*SMALL, "--bpe-dropout", 0.3]
    train_text(*options, "--save-dir", tmp_path / "elsewhere")
    expected = batches()

    def write_and_die(folder, encoding, dictionaries, texts):
        text_writing.write_texts(folder, encoding, dictionaries, texts)
        with (folder / "train.de-en.de.bin").open("r+b") as stream:
            stream.truncate(10)
        kill_self()

    with monkeypatch.context() as patch:
        patch.setattr(text_cache, "write_texts", write_and_die)
        killed(train_text, *options)
    assert list(checkpoint.parent.rglob("epoch-1/*.idx"))
    log = train_text(*options)
    assert "ended while it segmented text" in log
    assert batches() == expected
