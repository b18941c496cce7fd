"""Training parts of a parent model on a language of another script."""

import re
import socket
import subprocess
import sys

import pytest
from task_helpers import PACKAGE, TINY
from transfer_helpers import ARCH, moved, weights

pytest_plugins = ["task_helpers", "transfer_helpers"]

torch = pytest.importorskip("torch")

PART_NAMES = {
    "embed": r"(en|de)coder\.embed_tokens|decoder\.output_projection",
    "enc": r"encoder\.(layers|emb_ctx)",
    "dec": r"decoder\.layers",
}
COMBINATIONS = ["enc", "enc+dec", "embed,enc", "all", "dec+embed"]


@pytest.mark.parametrize("parts", COMBINATIONS)
def test_frozen_parts_stay_bitwise_equal_and_all_others_change(parent, finetune, parts):
    printed = finetune(parent, "--finetune", parts, "--clip-norm", 0.01)
    trained = list(PART_NAMES) if parts == "all" else re.split("[+,]", parts)
    before, after = weights(parent), weights(finetune.last)
    own = [name for name in before if not name.endswith(("version", "_float_tensor"))]
    expected = {name for name in own for part in trained if re.match(PART_NAMES[part], name)}
    # The bias of the keys changes all scores of a query equally, which the softmax cancels.
    without_gradient = {name for name in own if name.endswith("k_proj.bias")}
    assert moved(before, after) <= expected
    assert moved(before, after) >= expected - without_gradient
    state = torch.load(finetune.last, weights_only=True)["last_optimizer_state"]["state"]
    shapes = sorted(tuple(entry["exp_avg"].shape) for entry in state.values())
    assert len(shapes) == len(expected) - 2 * ("embed" in trained)  # three names, one tensor
    assert printed.scores("clip", "train") == [100]
    for part in PART_NAMES:
        count = sum(
            before[name].numel()
            for name in own
            if re.match(PART_NAMES[part], name)
            and "decoder.embed" not in name
            and "output" not in name
        )
        on, off = (count, 0) if part in trained else (0, count)
        assert f"part {part}: {on:,} parameters trained, {off:,} frozen" in printed
    state = "trained" if "embed" in trained else "frozen"
    tied = "encoder.embed_tokens.weight = decoder.embed_tokens.weight = decoder.output_projection"
    assert f"tied, so {state} together as embed: {tied}" in printed


@pytest.mark.parametrize("parts", ["dec", "enc", "embed"])
def test_recomputed_activations_give_the_same_gradients(parent, finetune, parts):
    """After frozen parts, no input of a recomputed layer requires a gradient."""
    results = []
    for options in [], ["--checkpoint-activations"]:
        finetune(parent, "--finetune", parts, "--dropout", 0, "--max-update", 2, *options)
        results.append(weights(finetune.last))
        finetune.last.unlink()
    assert results[0].keys() == results[1].keys()
    for name, expected in results[0].items():
        torch.testing.assert_close(results[1][name], expected, atol=1e-6, rtol=1e-5)


def test_an_interrupted_run_resumes_with_the_same_parts(parent, finetune):
    whole = finetune(parent, "--finetune", "enc", "--max-epoch", 2)
    expected = weights(finetune.last)
    assert "starting from the parent" in whole and "resuming" not in whole
    for checkpoint in finetune.last.parent.glob("*.pt"):
        checkpoint.unlink()
    first = finetune(parent, "--finetune", "enc")
    again = finetune(parent, "--finetune", "enc", "--max-epoch", 2)
    assert f"resuming, not starting from the parent: {finetune.last}" in again
    assert "starting from the parent /" not in again
    assert first.scores("num_updates", "train") + again.scores("num_updates", "train") == (
        whole.scores("num_updates", "train")
    )
    assert not moved(expected, weights(finetune.last))
    assert all(
        re.match(r"encoder\.(layers|emb_ctx)", name) for name in moved(weights(parent), expected)
    )


def test_a_child_takes_only_the_weights_of_its_parent(parent, finetune):
    """The child does not get its optimizer, schedule or number of updates."""
    assert torch.load(parent, weights_only=True)["optimizer_history"][-1]["num_updates"] > 1
    printed = finetune(parent, "--max-update", 1)
    assert printed.scores("num_updates", "train") == [1]
    assert "No existing checkpoint found" in printed


def test_the_model_is_used_without_its_parent(parent, finetune, fairseq_command, transfer_data):
    gone = parent.with_name("gone.pt")
    gone.write_bytes(parent.read_bytes())
    finetune(gone, "--finetune", "embed+enc")
    gone.unlink()
    fixed = [
        "--path",
        finetune.last,
        "--cpu",
        "--beam",
        2,
        "--max-len-b",
        20,
        "--bpe",
        "byte_level",
    ]
    outputs = [
        fairseq_command("generate", transfer_data / "child", *fixed, "--task", task).outputs()
        for task in ("transfer_x_en", "multilingual_x_en")
    ]
    assert len(outputs[0]) == 11 and outputs[0] == outputs[1]
    assert "loss_si" in fairseq_command(
        "validate", transfer_data / "child", "--path", finetune.last, "--cpu",
        "--task", "transfer_x_en", "--max-tokens", 600,
    )  # fmt: skip
    from fairseq_subword_ext.models.contextualized_transformer import ContextualizedTransformerModel

    hub = ContextualizedTransformerModel.from_pretrained(
        str(finetune.last.parent),
        finetune.last.name,
        str(transfer_data / "child"),
        bpe="byte_level",
    )
    assert len(hub.translate(["ක", ""], beam=2, max_len_a=0, max_len_b=5)) == 2


def test_a_child_can_be_a_parent(parent, finetune, tmp_path):
    finetune(parent, "--finetune", "enc")
    first = finetune.last.rename(tmp_path / "first.pt")
    finetune(first, "--finetune", "dec")
    names = moved(weights(first), weights(finetune.last))
    assert names and all(name.startswith("decoder.layers") for name in names)


def test_averages_of_weights_leave_frozen_parts_unchanged(parent, finetune, subword):
    finetune(parent, "--finetune", "enc", "--max-epoch", 3, "--store-ema", "--ema-decay", 0.9)
    state = torch.load(finetune.last, weights_only=True)
    before = weights(parent)
    frozen = {
        name: value
        for name, value in before.items()
        if re.match(r"(en|de)coder\.embed_tokens|decoder\.(layers|output_projection)", name)
    }
    average = state["extra_state"]["ema"]
    assert not [name for name, value in frozen.items() if not torch.equal(value, average[name])]
    assert moved(before, average) - frozen.keys()
    average = finetune.last.with_name("average.pt")
    subword(
        "average-checkpoints", "--inputs", finetune.last, parent, finetune.last, "--output", average
    )
    assert not moved(before, weights(average)) & frozen.keys()


def test_byte_level_vocabularies_lose_nothing(parent, finetune):
    printed = finetune(parent, "--max-update", 1)
    for side in "source", "target":
        assert re.search(
            rf"<unk> in the {side} of the training data: 0 of [1-9]\d* symbols", printed
        )
    assert "are <unk>: the parent's vocabulary lacks them" not in printed


@pytest.mark.slow
def test_two_processes_train_as_one_does(parent, finetune, transfer_data, tmp_path):
    """With frozen parts, a process would wait for gradients that never come, unless Fairseq knows."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]

    def start(name, *options):
        command = [
            sys.executable, "-m", "fairseq_cli.train", transfer_data / "child", *TINY, *ARCH,
            "--task", "transfer_x_en", "--parent-checkpoint", parent, "--finetune", "enc",
            "--save-dir", tmp_path / name, "--max-tokens", 150, "--max-epoch", 2,
            "--user-dir", PACKAGE, *options,
        ]  # fmt: skip
        return subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    alone = start("alone", "--update-freq", 2)
    printed = [alone.communicate(timeout=300)[0]]
    workers = [
        start(
            "two", "--distributed-world-size", 2, "--distributed-rank", rank, "--distributed-no-spawn",
            "--distributed-init-method", f"tcp://localhost:{port}", "--distributed-backend", "gloo",
            "--ddp-backend", "legacy_ddp",
        )
        for rank in range(2)
    ]  # fmt: skip
    printed += [worker.communicate(timeout=300)[0] for worker in workers]
    assert [process.returncode for process in (alone, *workers)] == [0, 0, 0], printed
    changed = moved(weights(parent), weights(tmp_path / "two" / "checkpoint_last.pt"))
    assert changed and all(re.match(r"encoder\.(layers|emb_ctx)", name) for name in changed)
    losses = [re.findall(r"\| valid \|.*? loss ([\d.]+)", text) for text in printed[:2]]
    assert len(losses[0]) == 2
    assert list(map(float, losses[1])) == pytest.approx(list(map(float, losses[0])), abs=0.02)
