"""What a transfer run refuses, in one line, before anything is trained."""

import re
from pathlib import Path

import pytest
from task_helpers import PACKAGE, TINY, make_sentences
from transfer_helpers import ARCH, moved, weights

pytest_plugins = ["task_helpers", "transfer_helpers"]


@pytest.fixture
def refused(finetune):
    """Runs a training that must fail; returns its one-line message."""

    def run(parent, *options, **kwargs):
        with pytest.raises((ValueError, FileNotFoundError)) as error:
            finetune(parent, *options, **kwargs)
        assert "\n" not in str(error.value)
        assert not finetune.last.exists()
        return str(error.value)

    return run


@pytest.mark.parametrize("parts", ["", "none", "+"])
def test_nothing_to_train_is_reported_before_the_data_is_read(parent, refused, parts):
    message = refused(parent, "--finetune", parts, data="/nonexistent")
    assert "leaves nothing to train" in message


def test_an_unknown_part(parent, refused):
    message = refused(parent, "--finetune", "enc+attention")
    assert "no part is called 'attention'" in message and "embed, enc, dec" in message


def test_a_missing_parent_option(refused):
    assert "needs --parent-checkpoint FILE" in refused(None)


def test_a_parent_that_does_not_exist(refused, tmp_path):
    assert f"{tmp_path / 'none.pt'}: no such file" in refused(tmp_path / "none.pt")


def test_a_parent_that_is_not_a_checkpoint(parent, refused, tmp_path):
    whole = parent.read_bytes()
    for content in (b"", b"text\n", whole[: len(whole) // 2]):
        broken = tmp_path / "broken.pt"
        broken.write_bytes(content)
        assert f"{broken}: not a readable checkpoint" in refused(broken)


def other_data(make_corpus, folder, change):
    """The child's data with another dictionary."""
    corpus = make_corpus(folder)
    change(corpus.dictionary)
    for seed, split in enumerate(("train", "valid")):
        corpus.add("si", split, make_sentences(12, seed))
    return folder


def test_a_dictionary_of_another_size(parent, refused, make_corpus, tmp_path):
    data = other_data(
        make_corpus, tmp_path / "bin", lambda dictionary: dictionary.add_symbol("x@@", 2)
    )
    message = refused(parent, data=data)
    assert str(parent) in message and str(data / "dict.en.txt") in message
    assert "line 257: nothing and 'x@@'; 260 and 261 entries" in message
    # The suggested command names a file with the parent's dictionary.
    srcdict = re.search(r"fairseq-preprocess --srcdict (\S+) --joined-dictionary", message)[1]
    parents, own = (
        [line.split(" ")[0] for line in Path(name).read_text(encoding="utf-8").split("\n")[:-1]]
        for name in (srcdict, data / "dict.en.txt")
    )
    assert own == [*parents, "x@@"]


def test_a_dictionary_of_the_same_size_in_another_order(parent, refused, make_corpus, tmp_path):
    """Fairseq accepts it silently, and translates wrongly."""

    def swap(dictionary):
        one, other = 7, 12
        for table in dictionary.symbols, dictionary.count:
            table[one], table[other] = table[other], table[one]
        for index in one, other:
            dictionary.indices[dictionary.symbols[index]] = index

    data = other_data(make_corpus, tmp_path / "bin", swap)
    message = refused(parent, data=data)
    assert "(line 4: " in message and "260 and 260 entries" in message
    assert str(parent) in message and str(data / "dict.en.txt") in message


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # The first two do not change the shape of any weight.
        (["--encoder-attention-heads", "4"], ["--encoder-attention-heads 2 (here 4)"]),
        (["--activation-fn", "gelu"], ["--activation-fn relu (here gelu)"]),
        (["--embedding-context", "none"], ["--embedding-context gru (here none)"]),
        (
            ["--encoder-layers", "2", "--decoder-ffn-embed-dim", "32"],
            ["--encoder-layers 1 (here 2)", "--decoder-ffn-embed-dim 16 (here 32)"],
        ),
    ],
)
def test_a_parent_of_another_architecture(parent, refused, options, expected):
    message = refused(parent, *options)
    assert f"{parent} has another architecture or size" in message
    assert re.findall(r"--\S+ \S+ \(here \S+\)", message) == expected


def test_another_source_of_weights_besides_the_parent(parent, refused):
    assert "give that file only as --parent-checkpoint" in refused(
        parent, "--finetune-from-model", parent
    )


def test_a_run_that_is_not_a_transfer_is_not_resumed(parent, refused):
    """Fairseq would restore the parent's optimizer and number of updates, and stop at once."""
    message = refused(parent, "--restore-file", parent)
    assert "is not a run of --task transfer_x_en" in message
    assert "give it as --parent-checkpoint instead of --restore-file" in message


class TestResuming:
    @pytest.fixture(autouse=True)
    def first(self, parent, finetune):
        finetune(parent, "--finetune", "enc")

    def test_with_other_parts(self, parent, finetune):
        with pytest.raises(ValueError) as error:
            finetune(parent, "--finetune", "enc+dec", "--max-epoch", 2)
        assert "\n" not in str(error.value)
        assert (
            f"{finetune.last}, from which this run would resume, trained enc, not enc+dec"
            in str(error.value)
        )

    def test_other_parts_with_a_new_optimizer(self, parent, finetune):
        options = ["--finetune", "dec", "--max-epoch", 2, "--reset-optimizer"]
        assert "resuming" in finetune(parent, *options)

    def test_with_the_parent_moved_away(self, finetune, tmp_path):
        with pytest.raises(FileNotFoundError, match="no such file"):
            finetune(tmp_path / "none.pt", "--finetune", "enc", "--max-epoch", 2)

    def test_by_the_task_that_trains_everything(self, finetune):
        """torch would say that a parameter group does not match."""
        everything = ["--task", "multilingual_x_en"]
        with pytest.raises(
            ValueError, match="trained enc only: give --task transfer_x_en --finetune enc"
        ):
            finetune(None, *everything, "--max-epoch", 2)
        finetune(None, *everything, "--max-epoch", 2, "--reset-optimizer")
        # From here on this run is no longer a transfer, and no transfer resumes it.
        assert finetune(None, *everything, "--max-epoch", 3).scores("num_updates", "train")
        with pytest.raises(ValueError, match="is not a run of --task transfer_x_en"):
            finetune(None, "--finetune", "enc", "--max-epoch", 4)

    def test_a_new_run_of_another_task_may_start_from_it(self, finetune):
        child = finetune.last.rename(finetune.last.parent.with_name("child.pt"))
        everything = ["--task", "multilingual_x_en", "--finetune-from-model", child]
        assert finetune(None, *everything).scores("num_updates", "train")

    def test_without_a_parent_given(self, finetune):
        assert "resuming" in finetune(None, "--finetune", "enc", "--max-epoch", 2)


class TestOtherParents:
    """Models of Fairseq's own translation task, whose checkpoints contain no dictionary."""

    @pytest.fixture
    def foreign(self, transfer_data, fairseq_command, tmp_path):
        data = tmp_path / "parent_data"
        data.symlink_to(transfer_data / "parent")
        options = [option for option in TINY if option != "multilingual_x_en"] + ["translation"]
        fairseq_command(
            "train", data, *options, *ARCH, "-s", "de", "-t", "en", "--max-update", 1,
            "--save-dir", tmp_path / "foreign", "--required-batch-size-multiple", 1,
        )  # fmt: skip
        return tmp_path / "foreign" / "checkpoint_last.pt"

    def test_their_dictionary_is_found_in_their_data(self, foreign, finetune):
        assert "starting from the parent" in finetune(foreign, "--max-update", 1)

    def test_or_must_be_given(self, foreign, refused, finetune, transfer_data, tmp_path):
        (tmp_path / "parent_data").unlink()
        assert "give the parent's dict.en.txt with --parent-dict FILE" in refused(foreign)
        given = ["--parent-dict", transfer_data / "parent" / "dict.en.txt"]
        assert "starting from the parent" in finetune(foreign, "--max-update", 1, *given)


def test_a_character_vocabulary_loses_the_new_script(
    fairseq_command, make_corpus, tmp_path, finetune
):
    """The parent has English and Russian letters; every Sinhala letter is unknown."""
    from fairseq.data import Dictionary

    def data(name, language):
        corpus = make_corpus(tmp_path / name)
        corpus.dictionary = Dictionary()
        for symbol in "▁abcdefghабвгдежз":
            corpus.dictionary.add_symbol(symbol, 2)
        corpus.encode = lambda line: " ".join("▁" + line.replace(" ", "▁"))
        for seed, split in enumerate(("train", "valid")):
            corpus.add(language, split, make_sentences(12, seed))
        return corpus.folder

    fairseq_command("train", data("ru", "ru"), *TINY, *ARCH, "--save-dir", tmp_path / "parent")
    child = data("si", "si")
    printed = finetune(tmp_path / "parent" / "checkpoint_last.pt", "--max-update", 1, data=child)
    lines = make_sentences(12, 0)
    letters = sum(len(line.replace(" ", "")) for line in lines)
    total = sum(len(line) + 1 for line in lines)
    assert (
        f"{letters / total:.1%} of the source symbols of the training data ({letters} of {total})"
        in printed
    )
    assert f"<unk> in the target of the training data: 0 of {total} symbols" in printed


@pytest.mark.parametrize("parents", [True, False])
@pytest.mark.parametrize("own", [True, False])
def test_shared_embeddings_count_as_fairseq_applies_them(tmp_path, parents, own):
    """On the command line, one option implies the other when a model is built; under Hydra it does not."""
    import torch

    from fairseq_subword_ext.transfer.parent_model import ParentModel

    def options(output, everything=True):
        return {
            "share_all_embeddings": everything,
            "share_decoder_input_output_embed": output,
            "encoder_layers": 1,
        }

    state = {"model": {}, "cfg": {"model": options(parents)}, "task_state": {"x": {"symbols": "a"}}}
    torch.save(state, tmp_path / "parent.pt")
    parent = ParentModel(tmp_path / "parent.pt")
    parent.check_architecture(options(own))
    with pytest.raises(ValueError, match=r"--share-all-embeddings True \(here False\)"):
        parent.check_architecture(options(own, everything=False))


@pytest.mark.slow
def test_a_parent_from_the_command_line_and_a_child_under_hydra(
    parent, transfer_data, fairseq, tmp_path
):
    config = PACKAGE.parent / "configs" / "flores_si_en"
    small = [
        f"model.{side}_{size}"
        for side in ("encoder", "decoder")
        for size in ("layers=1", "embed_dim=16", "ffn_embed_dim=16", "attention_heads=2")
    ]
    process = fairseq(
        "hydra_train", "--config-dir", config, "--config-name", "finetune", "task.finetune=enc",
        f"common.user_dir={PACKAGE}", f"task.data={transfer_data / 'child'}",
        f"task.parent_checkpoint={parent}", f"checkpoint.save_dir={tmp_path}/out",
        "common.cpu=true", "dataset.num_workers=0", "optimization.max_update=1",
        "optimization.update_freq=[1]", "dataset.max_tokens=600", *small, cwd=tmp_path,
    )  # fmt: skip
    printed = process.stdout + process.stderr
    assert f"starting from the parent {parent}" in printed
    names = moved(weights(parent), weights(tmp_path / "out" / "checkpoint_last.pt"))
    assert names and all(re.match(r"encoder\.(layers|emb_ctx)", name) for name in names)
