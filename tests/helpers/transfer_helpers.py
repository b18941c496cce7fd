"""A parent model of two synthetic languages, and a child in a script that neither uses.

A test module takes the fixtures by ``pytest_plugins = ["task_helpers", "transfer_helpers"]``.
"""

import pytest
from task_helpers import TINY, make_sentences

SIZES = {"train": 24, "valid": 9, "test": 11}
ARCH = ["--arch", "contextualized_transformer_tiny"]


def weights(path):
    import torch

    return torch.load(path, weights_only=True)["model"]


def moved(parent, child):
    """The names of the weights that differ bitwise between two checkpoints."""
    import torch

    assert parent.keys() == child.keys()
    return {name for name in parent if not torch.equal(parent[name], child[name])}


@pytest.fixture(scope="session")
def transfer_place(tmp_path_factory):
    return tmp_path_factory.mktemp("transfer")


@pytest.fixture
def transfer_data(transfer_place, make_corpus):
    """Folders ``parent`` and ``child`` with binarized data."""
    if not (transfer_place / "parent").is_dir():
        for folder, languages in (("parent", ("de", "ru")), ("child", ("si",))):
            corpus = make_corpus(transfer_place / folder)
            for language in languages:
                for seed, (split, lines) in enumerate(SIZES.items()):
                    corpus.add(language, split, make_sentences(lines, seed))
    return transfer_place


@pytest.fixture
def parent(transfer_data, fairseq_command):
    """A parent's checkpoint, trained once, with a context, which belongs to its encoder."""
    path = transfer_data / "parent_model" / "checkpoint_last.pt"
    if not path.is_file():
        fairseq_command("train", transfer_data / "parent", *TINY, *ARCH, "--save-dir", path.parent)
    return path


@pytest.fixture
def finetune(transfer_data, fairseq_command, tmp_path):
    """Trains the child for one epoch; further options may follow."""

    def run(parent, *options, data=None, base=TINY):
        fixed = [*ARCH, "--save-dir", tmp_path / "child", "--task", "transfer_x_en"]
        start = [] if parent is None else ["--parent-checkpoint", parent]
        return fairseq_command(
            "train", data or transfer_data / "child", *base, *fixed, *start, *options
        )

    run.last = tmp_path / "child" / "checkpoint_last.pt"
    return run
