"""Training parts of a parent model on a language of another script."""

import re
import shutil

import pytest
from task_helpers import TINY, make_sentences

pytest_plugins = ["task_helpers"]

torch = pytest.importorskip("torch")

SIZES = {"train": 24, "valid": 9, "test": 11}
OUTPUT_LAYER = ["--share-decoder-input-output-embed"]


def untied(options):
    return [option for option in options if option != "--share-all-embeddings"]


def weights(path):
    return torch.load(path, weights_only=True)["model"]


def moved(parent, child):
    """The names of the weights in which two checkpoints differ, bit by bit."""
    assert parent.keys() == child.keys()
    return {name for name in parent if not torch.equal(parent[name], child[name])}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("transfer")


@pytest.fixture
def data(place, make_corpus):
    """The parent's languages, and a child in a script that none of them is written in."""
    if not (place / "parent").is_dir():
        for folder, languages in (("parent", ("de", "ru")), ("child", ("si",))):
            corpus = make_corpus(place / folder)
            for language in languages:
                for seed, (split, lines) in enumerate(SIZES.items()):
                    corpus.add(language, split, make_sentences(lines, seed))
    return place


@pytest.fixture
def parent(data, fairseq_command):
    """A parent's checkpoint: trained once, with a context so that it has one to freeze."""
    return make_parent(data, fairseq_command, "tied", TINY)


def make_parent(data, fairseq_command, name, options):
    path = data / name / "checkpoint_last.pt"
    if not path.is_file():
        arch = ["--arch", "contextualized_transformer_tiny"]
        fairseq_command("train", data / "parent", *options, *arch, "--save-dir", path.parent)
    return path


@pytest.fixture
def finetune(data, fairseq_command, tmp_path):
    """Trains the child for one epoch; more options may follow."""

    def run(parent, *options, data_folder=None, base=TINY, task="transfer_x_en"):
        fixed = ["--arch", "contextualized_transformer_tiny", "--save-dir", tmp_path / "child"]
        return fairseq_command(
            "train", data_folder or data / "child", *base, *fixed, "--task", task,
            *([] if parent is None else ["--parent-checkpoint", parent]), *options,
        )  # fmt: skip

    run.last = tmp_path / "child" / "checkpoint_last.pt"
    return run


PART_NAMES = {
    "embed": r"(en|de)coder\.embed_tokens|decoder\.output_projection",
    "enc": r"encoder\.(layers|emb_ctx)",
    "dec": r"decoder\.layers",
}
COMBINATIONS = ["embed", "enc", "dec", "enc+dec", "embed,enc", "dec+embed", "all", "dec+enc+embed"]


@pytest.mark.parametrize("parts", COMBINATIONS)
def test_what_is_frozen_stays_as_it_is_bit_by_bit_and_all_else_moves(parent, finetune, parts):
    printed = finetune(parent, "--finetune", parts, "--clip-norm", 0.01)
    trained = list(PART_NAMES) if parts == "all" else re.split("[+,]", parts)
    before, after = weights(parent), weights(finetune.last)
    own = [name for name in before if not name.endswith(("version", "_float_tensor"))]
    expected = {name for name in own for part in trained if re.match(PART_NAMES[part], name)}
    # A key's bias changes every score of a query alike, which the softmax takes out again.
    without_gradient = {name for name in own if name.endswith("k_proj.bias")}
    assert moved(before, after) <= expected
    assert moved(before, after) >= expected - without_gradient
    state = torch.load(finetune.last, weights_only=True)["last_optimizer_state"]["state"]
    shapes = sorted(tuple(entry["exp_avg"].shape) for entry in state.values())
    unique = {before[name].data_ptr(): before[name] for name in expected}
    assert len(shapes) == len(expected) - 2 * ("embed" in trained)  # three names, one tensor
    assert printed.scores("clip", "train") == [100]
    for part in PART_NAMES:
        count = sum(
            before[name].numel()
            for name in own
            if re.match(PART_NAMES[part], name) and "decoder.embed" not in name
            and "output" not in name
        )
        on, off = (count, 0) if part in trained else (0, count)
        assert f"part {part}: {on:,} parameters trained, {off:,} frozen" in printed
    state = "trained" if "embed" in trained else "frozen"
    tied = "encoder.embed_tokens.weight = decoder.embed_tokens.weight = decoder.output_projection"
    assert f"tied, so {state} together as embed: {tied}" in printed
