"""The plans of names_x_en, and of the studies with its rows: contexts, and transfer on other text."""

import re

from recipe_helpers import recipe
from recipes.engine.catalogue import load

CONTEXTS = ("none", "conv", "gru")
ENCODERS = {"byte": "byte_level", "bbpe_1k": "bbpe", "bpe_8k": "generalized_bpe"}


def plan(*arguments, name="names_x_en"):
    """The names of the steps, and the commands of each, by a dry run."""
    ran = recipe(name, "--cpu", "--work", "/nowhere/names", "--dry-run", *arguments)
    parts = re.split(r"^# (?=(?:\w+ )?[\w.]+ ?\w*$)", ran.stdout, flags=re.MULTILINE)[1:]
    steps = {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in parts}
    return {name: " ".join(text.replace("\\\n", " ").split()) for name, text in steps.items()}


def test_the_quickstarts_row():
    steps = plan("bbpe_1k_gru", "--languages", "be,el", "--updates", 5, "--seeds", "1,3")
    assert list(steps)[:3] == ["corpus", "learn bbpe_1k", "train bbpe_1k_gru"]
    assert "train bbpe_1k_gru.seed3" in steps
    assert 'names_x_en --out "$WORK"/corpus --languages be,el ' in steps["corpus"]
    assert 'build-dict -c "$WORK"/segmentations/bbpe_1k/codes' in steps["learn bbpe_1k"]
    train = steps["train bbpe_1k_gru.seed3"]
    assert "common.seed=3" in train and "optimization.max_update=5" in train
    assert 'checkpoint.save_dir="$WORK"/systems/bbpe_1k_gru.seed3/checkpoints' in train
    # Fairseq reads the text itself; the folder also holds Sinhala's.
    assert 'task.data="$WORK"/corpus ' in train and "task.from_text=true" in train
    assert "task.source_langs=" in train and "'be,el'" in train
    dictionary = '"$WORK"/segmentations/bbpe_1k/bin/dict.en.txt'
    assert f"task.text_dict={dictionary}" in train
    translate = steps["translate bbpe_1k_gru test_seen"]
    assert f"--from-text --text-dict {dictionary}" in translate
    assert "--gen-subset test_seen" in translate
    assert not any(name.startswith("validate") for name in steps)


def test_every_unit_has_every_context():
    rows = [f"{unit}_{context}" for unit in ("byte", "bbpe_1k", "bpe_8k") for context in CONTEXTS]
    assert [row.name for row in load("names_contexts").systems(None)] == rows
    steps = plan(*rows, "--seeds", "1,2,3", name="names_contexts")
    prepared = [name for name in steps if name.startswith(("learn", "dictionary", "codes"))]
    assert prepared == ["dictionary bytes", "learn bbpe_1k", "learn bpe_8k"]
    trained = [name for name in steps if name.startswith("train")]
    assert len(trained) == 27
    for name in trained:
        row = name.split()[1].partition(".")[0]
        assert f"model.embedding_context={row.rpartition('_')[2]} " in steps[name]
        assert f"bpe._name={ENCODERS[row.rpartition('_')[0]]}" in steps[name]
        assert re.search(r"optimization\.lr=\[0\.00\d+\]", steps[name])
    assert "bpe_codes" not in steps["train byte_conv"] and "bpe_codes" in steps["train bpe_8k_gru"]
    assert "--languages ru,uk,be,sr" in steps["corpus"]
    assert "--valid-subset valid,exchanged" in steps["validate byte_none.seed3"]


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
    assert list(steps)[1:4] == ["learn bbpe_1k", "train bbpe_1k_gru", "codes si"]
    assert "common.seed=1" in steps["train bbpe_1k_gru"]
    assert "optimization.max_update=7" in steps["train bbpe_1k_gru"]
    parent = '"$WORK"/systems/bbpe_1k_gru/checkpoints/checkpoint_best.pt'
    child = steps["train si_enc.seed2"]
    assert f"task.parent_checkpoint={parent}" in child and "task.finetune=enc" in child
    assert "optimization.max_update=3" in child and "--config-name finetune" in child
    assert "parent" not in steps["train si_scratch.seed2"]
    assert f"--path {parent}" in steps["translate si_zero_shot.seed2 test"]
    assert "train si_zero_shot.seed2" not in steps
    assert 'cp "$WORK"/segmentations/bbpe_1k/bin/dict.en.txt' in steps["codes si"]
    assert 'task.data="$WORK"/corpus/transfer' in child and "source_langs" not in child
    assert "validate si_enc.seed2" in steps and "validate si_zero_shot.seed2" not in steps


def test_fine_tuning_has_three_rates():
    rows = {row.name: row for row in load("names_x_en").systems(None)}
    for part in "enc", "enc_dec", "embed_enc", "all":
        base = rows[f"si_{part}"].flags("set")
        for rate, value in ("1e-4", "0.0001"), ("3e-4", "0.0003"):
            row = rows[f"si_{part}_{rate}"]
            assert row.flags("set") == [*base, f"optimization.lr=[{value}]"]
            assert {**row.columns, "row": "", "set": ""} == {
                **rows[f"si_{part}"].columns, "row": "", "set": "",
            }  # fmt: skip


def test_transfer_on_other_text_has_the_rows_of_table_8(tmp_path):
    ran = recipe("transfer_si_en", "enc", "--dry-run", check=False)
    assert ran.status == 1 and "needs --corpus DIR" in ran.stderr
    rows = [row.name for row in load("transfer_si_en").systems(None)]
    assert rows == ["xen", "zero_shot", "enc", "enc_dec", "embed_enc", "all", "scratch"]
    steps = plan(*rows[1:], "--corpus", tmp_path, "--languages", "de", name="transfer_si_en")
    assert list(steps)[:5] == [
        "corpus si",
        "corpus xen",
        "learn xen_bbpe_2k",
        "train xen",
        "codes bbpe_2k",
    ]
    assert 'task.data="$WORK"/corpus/xen' in steps["train xen"]
    assert "task.source_langs=" in steps["train xen"]
    assert "optimization.max_update=800" in steps["train scratch"]
    assert "translate xen test" not in steps
