"""The architectures under Fairseq's own commands, from another folder.

Most run in this process; one training, Hydra's launcher, averaging and one translation start processes.
"""

import argparse
import random
import re
from pathlib import Path

import pytest

pytest.importorskip("fairseq")

from model_helpers import compose
from task_helpers import logged, run_fairseq

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "fairseq_subword_ext"
CONFIGS = ROOT / "configs" / "contextualized_transformer"

SMALL = """--encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 32 --encoder-ffn-embed-dim 64
--encoder-attention-heads 2 --decoder-attention-heads 2""".split()
TRAINING = """--num-workers 0 --optimizer adam --lr 0.01 --max-tokens 600 --cpu --log-format simple --seed 3
--criterion label_smoothed_cross_entropy --required-batch-size-multiple 1""".split()
GENERATION = "--num-workers 0 --cpu --beam 3 --max-len-a 0 --max-len-b 14 --required-batch-size-multiple 1".split()

# Fairseq's --left-pad-source defaults to true, so the flag turns it off.
RIGHT_PADDING = "--left-pad-source"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with the bitext "bin": letters, and the same letters backwards."""
    folder = tmp_path_factory.mktemp("model")
    draw = random.Random(1)
    for split, count in ("train", 400), ("valid", 20), ("test", 200):
        lines = [draw.choices("abcdefgh", k=draw.randint(0, 9)) for _ in range(count)]
        lines[0] = ["a"]
        for name, order in ("xx", 1), ("en", -1):
            text = "".join(" ".join(line[::order]) + "\n" for line in lines)
            (folder / f"{split}.{name}").write_text(text, encoding="utf-8")
    run_fairseq(
        "preprocess", "-s", "xx", "-t", "en", "--trainpref", "train", "--validpref", "valid",
        "--testpref", "test", "--destdir", "bin", "--joined-dictionary", cwd=folder,
    )  # fmt: skip
    return folder


def train(folder, name, *options):
    return run_fairseq("train", "bin", "--save-dir", name, *TRAINING, *SMALL, *options, cwd=folder)


def generate(folder, path, *options):
    """The H- lines and the A- lines of a run, by sentence."""
    return lines_of(
        run_fairseq("generate", "bin", "--path", path, *GENERATION, *options, cwd=folder)
    )


def lines_of(printed):
    return {
        kind: dict(re.findall(rf"^{kind}-(\d+)\t(.*)$", printed, re.MULTILINE))
        for kind in ("H", "A")
    }


def text(hypotheses):
    """Drops the scores, whose last digit may depend on the batch."""
    return {number: line.split("\t")[1] for number, line in hypotheses.items()}


def validation_losses(log):
    return [float(loss) for loss in re.findall(r"valid on .*? \| loss ([\d.]+)", log)]


@pytest.fixture(scope="module")
def trained(data, fairseq):
    """The folder, with the checkpoints of two epochs of a Bi-GRU model in "gru"."""
    process = fairseq(
        "train", "bin", "--user-dir", PACKAGE, "--save-dir", "gru", *TRAINING, *SMALL,
        "--arch", "contextualized_transformer_tiny", "--share-all-embeddings", "--max-epoch", 8,
        cwd=data,
    )  # fmt: skip
    output = process.stdout + process.stderr
    assert "(emb_ctx): GRUContext(32, hidden=16)" in output
    (data / "gru.log").write_text(output, encoding="utf-8")
    losses = validation_losses(output)
    assert losses[-1] < losses[0]
    return data


def test_generate_in_batches_with_alignment(trained, fairseq):
    process = fairseq(
        "generate", "bin", "--user-dir", PACKAGE, "--path", "gru/checkpoint_last.pt", *GENERATION,
        "--print-alignment", cwd=trained,
    )  # fmt: skip
    large = lines_of(process.stdout)
    assert len(large["H"]) == 200
    assert len(set(text(large["H"]).values())) > 20
    ensemble = "gru/checkpoint_last.pt:gru/checkpoint_last.pt"
    small = generate(trained, ensemble, "--print-alignment", "--batch-size", 7)
    assert text(small["H"]) == text(large["H"])
    assert small["A"] == large["A"]


@pytest.mark.slow
def test_translations_of_200_sentences_one_at_a_time(trained):
    path = "gru/checkpoint_last.pt"
    alone = generate(trained, path, "--batch-size", 1)
    for padding in [], [RIGHT_PADDING]:
        large = generate(trained, path, "--max-tokens", 4000, *padding)
        assert text(alone["H"]) == text(large["H"])


@pytest.fixture(scope="module")
def safe_loading():
    """Skips without weights_only, which average-checkpoints requires to read checkpoints safely."""
    import torch

    if not hasattr(torch.serialization, "add_safe_globals"):
        pytest.skip("needs torch 2.4")


@pytest.fixture(scope="module")
def average(trained, subword, safe_loading):
    """The mean of the last three epochs."""
    subword(
        "average-checkpoints", "-i", "gru", "--num-epoch-checkpoints", 3, "-o", "average.pt",
        cwd=trained,
    )  # fmt: skip
    return trained / "average.pt"


def test_average_of_checkpoints_translates(trained, average):
    assert len(generate(trained, average)["H"]) == 200
    sizes = [path.stat().st_size for path in (average, trained / "gru" / "checkpoint8.pt")]
    assert sizes[0] < sizes[1] / 2  # no optimizer state, shared embeddings once


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["--finetune-from-model", "--restore-file"])
def test_average_of_checkpoints_can_be_trained_further(trained, average, flag):
    output = train(
        trained, f"tuned{flag}", "--arch", "contextualized_transformer_tiny",
        "--share-all-embeddings", "--max-epoch", 9, flag, average, "--lr", 0.001,
    )  # fmt: skip
    assert re.search(rf"(pretrained model from|Loaded checkpoint) {average}", output)
    # It starts from the average: one epoch from scratch gives another loss.
    before = validation_losses((trained / "gru.log").read_text(encoding="utf-8"))
    assert validation_losses(output)[0] < (before[0] + before[-1]) / 2


def overrides(data):
    cpu = ["common.cpu=true", "dataset.num_workers=0"]
    return [f"common.user_dir={PACKAGE}", f"task.data={data / 'bin'}", *cpu]


THREE_UPDATES = ["optimization.max_update=3", "dataset.max_tokens=600"]


def hydra(fairseq, data, *more, check=True):
    process = fairseq(
        "hydra_train", "--config-dir", CONFIGS, "--config-name", "tiny", *overrides(data),
        *THREE_UPDATES, f"hydra.run.dir={data / 'outputs'}", *more, cwd=data, check=check,
    )  # fmt: skip
    return process.returncode, process.stdout + process.stderr


def train_composed(data, name, *more):
    """Trains with a configuration of Hydra in this process; returns the log."""
    from fairseq_cli.train import main

    with logged() as lines:
        main(compose(CONFIGS, name, *overrides(data), *more))
    return "\n".join(lines)


def test_hydra_configuration_of_tiny_trains(data, fairseq):
    _, output = hydra(fairseq, data, f"checkpoint.save_dir={data / 'hydra'}")
    assert "(emb_ctx): GRUContext(128, hidden=64)" in output
    assert "num_updates 3" in output


@pytest.mark.slow
def test_hydra_refuses_a_misspelt_key(data, fairseq):
    status, output = hydra(fairseq, data, "+model.embeding_context=conv", check=False)
    assert status != 0
    assert "model.embeding_context is not an option of contextualized_transformer_tiny" in output
    assert "did you mean embedding_context?" in output


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["flores", "base", "big"])
def test_hydra_configuration_trains(data, preset):
    output = train_composed(
        data, preset, "optimization.max_update=1", "optimization.update_freq=[1]",
        "dataset.max_tokens=100", "checkpoint.no_save=true", "dataset.disable_validation=true",
    )  # fmt: skip
    size = int(re.search(r"num. shared model params: ([\d,]+)", output)[1].replace(",", ""))
    # With the paper's 260 symbols instead of this dictionary's 16; see test_model_sizes.py.
    dim = 1024 if preset == "big" else 512
    symbols = len((data / "bin" / "dict.en.txt").read_text().splitlines()) + 4
    millions = {"flores": 38.10, "base": 45.45, "big": 181.35}[preset]
    assert round((size + (260 - symbols) * dim) / 1e6, 2) == millions
    assert "num_updates 1" in output or "num_updates: 1" in output


@pytest.mark.slow
def test_bf16_through_hydra(data):
    folder = f"checkpoint.save_dir={data / 'bf16'}"
    output = train_composed(data, "tiny", "common.bf16=true", folder, *THREE_UPDATES)
    assert re.search(r"num_updates\W+3", output)
    assert len(generate(data, "bf16/checkpoint_last.pt")["H"]) == 200


EXAMPLE = """--task translation --arch gru_transformer --encoder-layers 2 --decoder-layers 2
--dropout 0.3 --share-all-embeddings --optimizer adam --adam-betas (0.9,0.98) --lr 5e-4
--lr-scheduler inverse_sqrt --warmup-updates 4000 --criterion label_smoothed_cross_entropy
--label-smoothing 0.1 --log-format simple --log-interval 100 --batch-size 100""".split()


@pytest.mark.slow
def test_command_line_of_fairseqs_example(data):
    # As in its README, apart from the folder of the plug-in, the device and the length.
    output = run_fairseq(
        "train", "bin", *EXAMPLE, "--cpu", "--max-update", 1, "--no-save", "--disable-validation",
        "--required-batch-size-multiple", 1, cwd=data,
    )  # fmt: skip
    assert "(emb_ctx): GRUContext(512, hidden=256)" in output


@pytest.mark.slow
def test_a_checkpoint_of_fairseqs_example(data, safe_loading):
    # When the example was written, checkpoints had the arguments as a Namespace, and no "cfg".
    import torch
    from fairseq.data import Dictionary

    import fairseq_subword_ext

    fairseq_subword_ext.register()
    train(data, "old", "--arch", "gru_transformer", "--share-all-embeddings", "--max-update", 20)
    path = data / "old" / "checkpoint_last.pt"
    expected = generate(data, path)
    state = torch.load(path, weights_only=True)
    options = vars(state["cfg"]["model"])
    names = (
        "arch",
        "task",
        "dropout",
        "share_all_embeddings",
        "data",
        "source_lang",
        "target_lang",
    )
    kept = [name for name in options if name in names or name.startswith(("encoder_", "decoder_"))]
    args = argparse.Namespace(**{name: options[name] for name in kept}, layer_wise_attention=False)
    size = len(Dictionary.load(str(data / "bin" / "dict.en.txt")))
    assert state["model"]["encoder.embed_tokens.weight"].shape == (size, 32)
    state["model"]["encoder.embed_positions._float_tensor"] = torch.zeros(1)
    state["model"]["decoder.embed_positions._float_tensor"] = torch.zeros(1)
    old = {key: state[key] for key in ("model", "optimizer_history", "extra_state")}
    torch.save({"args": args, **old}, data / "example.pt")
    assert generate(data, "example.pt") == expected


@pytest.mark.slow
def test_an_odd_dimension_is_refused_before_training(data):
    odd = ["--encoder-embed-dim", 301, "--encoder-attention-heads", 7]
    with pytest.raises(ValueError, match="even and at least 2, not 301"):
        train(data, "odd", "--arch", "contextualized_transformer", *odd)


OPTIONS = {
    "conv": f"--embedding-context conv --embedding-context-kernel-size 3 {RIGHT_PADDING}",
    "none": "--embedding-context none --amp",
    "layers": f"--encoder-layerdrop 0.5 --checkpoint-activations --amp {RIGHT_PADDING}",
    "shared": "--share-all-embeddings --store-ema --encoder-learned-pos --decoder-learned-pos",
    "norms": "--layernorm-embedding --encoder-normalize-before --decoder-normalize-before",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIONS)
def test_trains_resumes_and_translates_with(data, name):
    options = ["--arch", "contextualized_transformer", *OPTIONS[name].split()]
    train(data, name, *options, "--max-update", 2)
    assert "@ 2 updates" in train(data, name, *options, "--max-update", 3)
    assert len(generate(data, f"{name}/checkpoint_last.pt")["H"]) == 200


@pytest.mark.slow
def test_ensemble_of_different_contexts(trained):
    train(
        trained, "ensemble", "--arch", "contextualized_transformer_tiny",
        "--embedding-context", "conv", "--max-epoch", 2,
    )  # fmt: skip
    path = "gru/checkpoint_last.pt:ensemble/checkpoint_last.pt"
    assert len(generate(trained, path)["H"]) == 200


def test_from_pretrained(trained):
    from fairseq_subword_ext.models.contextualized_transformer import ContextualizedTransformerModel

    model = ContextualizedTransformerModel.from_pretrained(
        str(trained / "gru"),
        "checkpoint_last.pt",
        data_name_or_path=str(trained / "bin"),
        user_dir=str(PACKAGE),
    )
    translations = model.translate(["a b c", "", "h a"], beam=3)
    assert len(translations) == 3
    assert translations[0]
    assert all(set(line) <= set("abcdefgh ") for line in translations)
