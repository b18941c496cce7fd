"""Tasks that train on raw text, inside Fairseq's commands."""

import shutil
from pathlib import Path

import pytest
import torch
from task_helpers import TINY
from text_helpers import ON_A_FULL_DISK, ONE_PAIR, SMALL, write_pair

from fairseq_subword_ext.cli.main import main as subword
from fairseq_subword_ext.data import text_writing
from fairseq_subword_ext.tasks import multilingual_x_en

pytest_plugins = ["task_helpers", "text_helpers"]


@pytest.fixture
def binarized(raw_corpus, tmp_path):
    """The same text, binarized with the dictionary that is made from the codes."""
    dictionary, folder = tmp_path / "dict", tmp_path / "bin"
    assert not subword(["build-dict", "-c", str(raw_corpus.codes), "-o", str(dictionary)])
    prefixes = [
        word
        for split in ("train", "valid", "test")
        for word in (f"--{split}pref", f"{raw_corpus.folder}/{split}")
    ]
    for languages in (["-t", "en"], ["-s", "de", "-t", "en"]):
        command = [*languages, *prefixes, "--encoder", "bbpe", "-c", str(raw_corpus.codes)]
        given = ["--joined-dictionary", "--srcdict", str(dictionary), "--destdir", str(folder)]
        assert not subword(["binarize", *command, *given, "--num-workers", "1"])
    return folder


# The same batches as those of binarized data.

TASKS = {
    "X-En": ([], []),
    "sampled": (["--sampling-temperature", 5], ["--sampling-temperature", 5]),
    "one pair": ([*ONE_PAIR, "-s", "de", "-t", "en"], ["--task", "translation", "-s", "de", "-t", "en"]),
    "from English": ([*ONE_PAIR, "-s", "en", "-t", "de"], ["--task", "translation", "-s", "en", "-t", "de"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", TASKS)
def test_without_dropout_the_batches_are_those_of_binarized_data(
    kind, train_text, train, binarized, batches
):
    options = [*SMALL, "--no-save", "--max-epoch", 2]
    of_text, of_data = TASKS[kind]
    first = train_text(*of_text, *options)
    found = batches()
    second = train(*of_data, *options, data=binarized)
    assert len(found) >= 8
    assert found == batches()
    for score in ("loss", "gnorm"):
        assert first.scores(score, "train_inner") == second.scores(score, "train_inner")


@pytest.mark.slow
def test_transfer_from_text(train_text, raw_corpus, checkpoint, tmp_path):
    train_text("--source-langs", "de")
    parent = tmp_path / "parent.pt"
    shutil.copy(checkpoint, parent)
    shutil.rmtree(checkpoint.parent)
    options = ["--task", "transfer_x_en", "--parent-checkpoint", parent, "--finetune", "enc"]
    log = train_text(*options, "--source-langs", "si", "--bpe-dropout", 0.1)
    assert "<unk> in the source of the training data: 0 of" in log
    with pytest.raises(
        ValueError, match="give --bpe-codes with the parent's codes, and --text-dict"
    ):
        shutil.rmtree(checkpoint.parent)
        codes = raw_corpus.codes.read_text().splitlines(keepends=True)
        raw_corpus.codes.write_text("".join(codes[:-2]))
        train_text(*options)


# Dropout.


def test_every_epoch_is_segmented_anew(train_text, segmented, batches, checkpoint):
    """And none that comes after the last, although Fairseq asks for its data."""
    train_text(*SMALL, "--bpe-dropout", 0.2, "--max-epoch", 2)
    assert [name for name, _ in segmented] == ["epoch-1", "epoch-2"]
    found = batches()
    tokens = {tuple(map(str, batch[1:])) for batch in found}
    assert len(tokens) == len(found), "no batch came twice"
    left = [path.name for path in checkpoint.parent.rglob("epoch-*")]
    assert left == ["epoch-2"], "until the process ends"


def test_dropout_of_one_side(train_text, batches):
    train_text(*SMALL, "--no-save", "--max-epoch", 2, "--bpe-dropout-source", 0.3)
    sources, targets = ({}, {})
    for ids, source, target in batches():
        for number, *sides in zip(ids, source, target):
            for lines, side in zip((sources, targets), sides):
                lines.setdefault(number, set()).add(tuple(t for t in side if t != 1))
    assert max(map(len, sources.values())) == 2
    assert max(map(len, targets.values())) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "task", [[], [*ONE_PAIR, "-s", "si", "-t", "en"]], ids=["X-En", "one pair"]
)
def test_resuming_in_the_middle_of_an_epoch_gives_the_same_text(task, train_text, batches):
    options = [*SMALL, *task, "--max-epoch", 3, "--bpe-dropout", 0.2]
    whole = train_text(*options, "--no-save").scores("loss", "train_inner")
    expected = batches()
    epoch = len(whole) // 3
    parts = []
    for updates in (epoch + 2, 2 * epoch + 1, len(whole)):
        parts += train_text(*options, "--max-update", updates).scores("loss", "train_inner")
    assert parts == whole and batches() == expected


def test_validation_is_never_drawn(train_text, segmented):
    train_text("--bpe-dropout", 0.5)
    folders = dict(zip(("valid", "train"), segmented))
    assert folders["valid"][0] == "all" and folders["train"][0] == "epoch-1"


# Using the model.


@pytest.fixture
def use(fairseq_command, checkpoint, raw_corpus):
    def run(command, data, *options, task="multilingual_x_en"):
        fixed = ["--task", task, "--cpu", "--beam", 2, "--max-len-b", 9, "--path", checkpoint]
        return fairseq_command(
            command, data, *fixed, "--bpe", "bbpe", "--bpe-codes", raw_corpus.codes, *options
        )

    return run


@pytest.mark.slow
def test_translating_raw_text_and_binarized_data(
    train_text, use, raw_corpus, binarized, tmp_path, monkeypatch
):
    train_text("--bpe-dropout", 0.1)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    of_text = use("generate", raw_corpus.folder, "--from-text")
    of_data = use("generate", binarized)
    assert len(of_text.outputs()) == 16
    for kind in ("H", "D"):
        assert of_text.outputs(kind) == of_data.outputs(kind)
    assert of_text.references() == of_data.references()
    assert not list(Path().iterdir()), "the default save folder is not created"
    (raw_corpus.folder / "test.de-en.en").unlink()
    (raw_corpus.folder / "test.si-en.en").unlink()
    assert use("generate", raw_corpus.folder, "--from-text").outputs() == of_text.outputs()


@pytest.mark.slow
@pytest.mark.parametrize("one_pair", [False, True])
def test_the_text_is_not_needed_to_use_the_model(
    one_pair, train_text, use, raw_corpus, checkpoint, monkeypatch, tmp_path
):
    """The dictionary lies beside the checkpoints."""
    task = "translation_from_text" if one_pair else "multilingual_x_en"
    dictionary = tmp_path / "dict"
    assert not subword(["build-dict", "-c", str(raw_corpus.codes), "-o", str(dictionary)])
    pair = ["-s", "en", "-t", "de"] if one_pair else []
    train_text("--task", task, *pair, "--text-dict", dictionary)
    dictionary.unlink()
    shutil.rmtree(raw_corpus.folder)
    shutil.rmtree(checkpoint.parent / "text-cache")
    lines = tmp_path / "input"
    lines.write_text("ab cd\nef\n")
    languages = ["-s", "en", "-t", "de"] if one_pair else []
    found = use("interactive", checkpoint.parent, *languages, "--input", lines, task=task)
    assert len(found.outputs()) == 2
    from fairseq.models import BaseFairseqModel

    hub = BaseFairseqModel.from_pretrained(
        str(checkpoint.parent), "checkpoint_last.pt", bpe_codes=str(raw_corpus.codes)
    )
    assert [hub.translate(line, beam=2, max_len_b=9) for line in ("ab cd", "ef")] == list(
        found.outputs().values()
    )


@pytest.mark.slow
def test_validating(train_text, fairseq_command, checkpoint, raw_corpus, binarized):
    trained = train_text("--bpe-dropout", 0.3)
    fixed = ["--path", checkpoint, "--cpu", "--max-tokens", 600, "--task", "multilingual_x_en"]
    for data, options in ((raw_corpus.folder, []), (binarized, ["--dataset-impl", "mmap"])):
        if data == binarized:
            options = ["--model-overrides", "{'from_text': False}"]
        log = fairseq_command("validate", data, *fixed, *options)
        assert log.scores("nll_loss")[-1] == pytest.approx(trained.scores("nll_loss")[-1], abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("one_pair", [False, True])
def test_sharing_a_model(one_pair, train_text, raw_corpus, checkpoint, tmp_path):
    """Averaged, packed and exported, after the text is gone; nothing but the codes has to be named."""
    for module in ("onnx", "onnxscript", "onnxruntime"):
        pytest.importorskip(module)
    task = ONE_PAIR if one_pair else []
    if one_pair:
        for path in raw_corpus.folder.glob("*.si-en.*"):
            path.unlink()
    train_text(*task, "--bpe-dropout", 0.1, "--text-cache", tmp_path / "cache", "--max-epoch", 3)
    lines = (raw_corpus.folder / "test.de-en.de").read_text(encoding="utf-8")
    shutil.rmtree(raw_corpus.folder)
    shutil.rmtree(tmp_path / "cache")

    def run(*arguments):
        assert not subword(list(map(str, arguments)))

    averaged, archive = checkpoint.parent / "averaged.pt", tmp_path / "model.tar.gz"
    run("average-checkpoints", "--inputs", checkpoint, checkpoint, "--output", averaged)
    run("package-model", "--checkpoint", averaged, "--codes", raw_corpus.codes, "-o", archive)
    run("export-model", checkpoint.parent if one_pair else averaged, "-o", tmp_path / "of run")
    raw_corpus.codes.unlink()
    shutil.rmtree(checkpoint.parent)
    run("export-model", archive, "-o", tmp_path / "of archive")
    (tmp_path / "input").write_text(lines, encoding="utf-8")
    search = ["--beam", 2, "--max-len-a", 0, "--max-len-b", 9, "--scores"]
    found = []
    for name in ("of run", "of archive"):
        run(
            "translate",
            tmp_path / name,
            "-i",
            tmp_path / "input",
            "-o",
            tmp_path / "output",
            *search,
        )
        rows = (tmp_path / "output").read_text(encoding="utf-8").splitlines()
        found.append([row.split("\t") for row in rows])
    assert found[0] == found[1]
    assert len({score for _, score, _ in found[0]}) == len(set(lines.splitlines()))

    shutil.unpack_archive(archive, tmp_path)
    from fairseq.models import BaseFairseqModel

    packed = tmp_path / "model" / "model.pt"
    assert "from_text" not in torch.load(packed, weights_only=True)["task_state"]
    hub = BaseFairseqModel.from_pretrained(str(packed.parent), packed.name)
    assert not hub.cfg.task.from_text
    texts = [hub.translate(line, beam=2, max_len_a=0, max_len_b=9) for line in lines.splitlines()]
    assert [text for _, _, text in found[0]] == texts


# Faults.


@pytest.fixture
def before_each_epoch(monkeypatch):
    """Sets a function that is called when an epoch begins, its text being in the cache already."""

    def set_function(function):
        begin_epoch = multilingual_x_en.MultilingualXEnTask.begin_epoch

        def begin(self, epoch, model):
            begin_epoch(self, epoch, model)
            function()

        monkeypatch.setattr(multilingual_x_en.MultilingualXEnTask, "begin_epoch", begin)

    return set_function


@pytest.mark.parametrize("fault", ["another text", "full disk"])
def test_a_fault_during_training_leaves_whole_checkpoints(
    fault, train_text, raw_corpus, checkpoint, before_each_epoch, monkeypatch
):
    text = raw_corpus.folder / "train.de-en.de"
    if fault == "another text":
        before_each_epoch(lambda: text.write_bytes(text.read_bytes() + b"\n"))
        expected = pytest.raises(ValueError, match=r"train\.de-en\.de: the text has changed")
    else:
        before_each_epoch(lambda: monkeypatch.setattr(text_writing, "_START", ON_A_FULL_DISK))
        expected = pytest.raises(
            OSError, match="--text-cache DIR puts the segmented text elsewhere"
        )
    with expected as error:
        train_text("--bpe-dropout", 0.1, "--max-epoch", 3)
    assert "\n" not in str(error.value)
    state = torch.load(checkpoint, weights_only=True)
    assert state["extra_state"]["train_iterator"]["epoch"] == 2


def test_a_fault_at_the_start_leaves_checkpoints_alone(train_text, raw_corpus, checkpoint):
    train_text("--bpe-dropout", 0.1)
    saved, path = checkpoint.read_bytes(), raw_corpus.folder / "train.de-en.en"
    text = path.read_bytes()
    for broken, expected in (
        (None, pytest.raises(FileNotFoundError, match="one side of a language pair is missing")),
        (b"\xff" + text, pytest.raises(ValueError, match=r"train\.de-en\.en:1: .*not UTF-8")),
        (text + b"a\n", pytest.raises(ValueError, match=r"train\.de-en\.de has 30 lines but")),
    ):
        path.unlink()
        if broken is not None:
            path.write_bytes(broken)
        with expected as error:
            train_text("--bpe-dropout", 0.1, "--max-epoch", 2)
        assert "\n" not in str(error.value)
        path.write_bytes(text)
        assert checkpoint.read_bytes() == saved
    assert "num_updates" in train_text("--bpe-dropout", 0.1, "--max-epoch", 2)


REFUSED = {
    "no bpe": ("", "--from-text segments text with --bpe .* but no --bpe is given"),
    "other bpe": ("--bpe fastbpe", "it cannot use --bpe fastbpe"),
    "no codes": ("--bpe bbpe", "needs --bpe-codes FILE"),
    "raw": ("--bpe bbpe --bpe-codes {codes} --dataset-impl raw", "--dataset-impl raw cannot be"),
    "dropout": ("--bpe bbpe --bpe-codes {codes} --bpe-dropout 2", "from 0 to 1"),
    "no merges": ("--bpe char_level --bpe-dropout 0.1 --text-dict {dict}", "--bpe-dropout: .* has none"),
    "no dictionary": ("--bpe char_level", "symbols of char_level depend on the text; give --text-dict"),
    "lacking": ("--bpe generalized_bpe --bpe-codes {character_codes} --text-dict {dict}", "dictionary lacks"),
    "missing": ("--bpe char_level --text-dict none", "--text-dict: no such file"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize(
    "task", [[], [*ONE_PAIR, "-s", "de", "-t", "en"]], ids=["X-En", "one pair"]
)
def test_what_is_refused(case, task, raw_corpus, fairseq_command, checkpoint, tmp_path):
    words, message = REFUSED[case]
    if case == "missing" and task:
        message = "no such dictionary"
    (tmp_path / "dict").write_text("".join(f"{letter} 1\n" for letter in "abcdefgh▁"))
    names = {**vars(raw_corpus), "dict": tmp_path / "dict"}
    options = [word.format(**names) for word in words.split()]
    with pytest.raises((ValueError, FileNotFoundError), match=message) as error:
        fairseq_command(
            "train", raw_corpus.folder, *TINY, "--save-dir", checkpoint.parent, "--from-text", *task,
            *options,
        )  # fmt: skip
    assert "\n" not in str(error.value)


def test_a_missing_side_of_one_pair(train_text, raw_corpus):
    (raw_corpus.folder / "train.de-en.en").unlink()
    with pytest.raises(FileNotFoundError, match=r"one side .* is missing: '.*train\.de-en\.en'"):
        train_text(*ONE_PAIR, "-s", "de", "-t", "en")


def test_forgetting_the_flag(train, raw_corpus, binarized, train_text):
    (raw_corpus.folder / "dict.en.txt").write_text((binarized / "dict.en.txt").read_text())
    with pytest.raises(
        FileNotFoundError, match="give --from-text and --bpe, or --dataset-impl raw"
    ):
        train(data=raw_corpus.folder)
    with pytest.raises(FileNotFoundError, match="leave out --from-text"):
        train_text(data=binarized)


def test_compressed_text_and_numbered_parts(train_text, raw_corpus, segmented):
    import gzip

    write_pair(raw_corpus.folder, "train1", "si", ["ab", "cd"])
    for side in ("si", "en"):
        path = raw_corpus.folder / f"train1.si-en.{side}"
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert "si 62" in train_text("--no-save")
    assert segmented[-1][1][-2:] == ["train1.si-en.en", "train1.si-en.si"]


def test_language_tokens(train_text, checkpoint):
    train_text("--source-lang-token")
    symbols = [line.split()[0] for line in (checkpoint.parent / "dict.en.txt").open()]
    assert {"<lang:de>", "<lang:si>"} < set(symbols)
