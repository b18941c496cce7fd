"""The plan of names_x_en: the quickstart's row, contexts that share data, and the transfer to Sinhala."""

import re

from recipe_helpers import recipe


def plan(*arguments):
    """The names of the steps, and the commands of each, by a dry run."""
    ran = recipe("names_x_en", "--cpu", "--work", "/nowhere/names", "--dry-run", *arguments)
    parts = re.split(r"^# (?=(?:\w+ )?[\w.]+ ?\w*$)", ran.stdout, flags=re.MULTILINE)[1:]
    steps = {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in parts}
    return {name: " ".join(text.replace("\\\n", " ").split()) for name, text in steps.items()}


def test_the_quickstarts_row():
    steps = plan("bbpe_1k_gru", "--languages", "be,el", "--updates", 5, "--seeds", "1,3")
    assert list(steps)[:4] == ["corpus", "learn bbpe_1k", "binarize bbpe_1k", "train bbpe_1k_gru"]
    assert "train bbpe_1k_gru.seed3" in steps
    assert steps["corpus"].endswith('--out "$WORK"/corpus --languages be,el')
    binarize = steps["binarize bbpe_1k"]
    assert 'build-dict -c "$WORK"/segmentations/bbpe_1k/codes' in binarize
    assert '--srcdict "$WORK"/segmentations/bbpe_1k/dict.txt --joined-dictionary -t en' in binarize
    train = steps["train bbpe_1k_gru.seed3"]
    assert "common.seed=3" in train and "optimization.max_update=5" in train
    assert 'checkpoint.save_dir="$WORK"/systems/bbpe_1k_gru.seed3/checkpoints' in train
    assert "--gen-subset test1" in steps["translate bbpe_1k_gru test_seen"]


def test_contexts_share_codes_and_data():
    steps = plan("byte", "byte_conv", "byte_gru")
    assert [name for name in steps if name.startswith(("learn", "binarize"))] == ["binarize bytes"]
    assert "model.embedding_context=conv" in steps["train byte_conv"]


def test_a_child_brings_its_parent():
    steps = plan(
        "si_enc",
        "si_scratch",
        "si_zero_shot",
        "--updates",
        7,
        "--transfer-updates",
        3,
        "--seeds",
        2,
    )
    assert list(steps)[1:6] == [
        "learn bbpe_1k",
        "binarize bbpe_1k",
        "train bbpe_1k_gru",
        "codes si",
        "binarize si",
    ]
    assert "common.seed=1" in steps["train bbpe_1k_gru"]
    assert "optimization.max_update=7" in steps["train bbpe_1k_gru"]
    parent = '"$WORK"/systems/bbpe_1k_gru/checkpoints/checkpoint_best.pt'
    child = steps["train si_enc.seed2"]
    assert f"task.parent_checkpoint={parent}" in child and "task.finetune=enc" in child
    assert "optimization.max_update=3" in child and "--config-name finetune" in child
    assert "parent" not in steps["train si_scratch.seed2"]
    assert f"--path {parent}" in steps["translate si_zero_shot.seed2 test"]
    assert "train si_zero_shot.seed2" not in steps
    assert '--srcdict "$WORK"/segmentations/bbpe_1k/bin/dict.en.txt' in steps["binarize si"]
