"""Frozen parts in half precision, on a GPU."""

import re

import pytest
from transfer_helpers import moved, weights

pytest_plugins = ["task_helpers", "transfer_helpers"]

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


@pytest.mark.parametrize("precision", ["--fp16", "--memory-efficient-fp16", "--amp"])
@pytest.mark.parametrize("extra", [[], ["--checkpoint-activations"]])
def test_frozen_parts_keep_their_values(parent, finetune, precision, extra):
    """In half precision: the parent's value, rounded once."""
    from task_helpers import TINY

    base = [option for option in TINY if option != "--cpu"]
    printed = finetune(
        parent,
        "--finetune",
        "enc",
        precision,
        "--fp16-init-scale",
        4,
        "--clip-norm",
        0.1,
        *extra,
        base=base,
    )
    kept = {
        name: value.half().to(value.dtype) if "fp16" in precision else value
        for name, value in weights(parent).items()
    }
    after = {name: value.to(kept[name].dtype) for name, value in weights(finetune.last).items()}
    trained = [name for name in kept if re.match(r"encoder\.(layers|emb_ctx)", name)]
    found = moved(kept, after)
    assert found <= set(trained)
    assert len(found) > 0.8 * len(trained)
    assert printed.scores("clip", "train")
