"""fairseq-subword average-checkpoints on synthetic checkpoints; test_model_cli has real ones."""

import argparse
import pickle
import re

import pytest
from model_helpers import small

torch = pytest.importorskip("torch")

from fairseq_subword_ext.checkpoints.averaging import average_checkpoints  # noqa: E402
from fairseq_subword_ext.cli.main import main  # noqa: E402

pytestmark = pytest.mark.skipif(
    not hasattr(torch.serialization, "add_safe_globals"), reason="the command needs torch 2.4"
)


def checkpoint(path, model, **more):
    """Writes a small checkpoint in fairseq-train's format."""
    state = {
        "args": argparse.Namespace(arch="contextualized_transformer"),
        "cfg": {"model": {"_name": "contextualized_transformer"}},
        "model": model if isinstance(model, dict) else model.state_dict(),
        "optimizer_history": [{"num_updates": 7}],
        "last_optimizer_state": {"state": {0: {"exp_avg": torch.zeros(1000)}}},
        "extra_state": {"epoch": 3, "ema": {"weight": torch.zeros(3)}, "best": 1.5},
        **more,
    }
    torch.save(state, path)
    return path


def average(tmp_path, *paths, options=()):
    output = tmp_path / "average.pt"
    status = main(["average-checkpoints", "-i", *map(str, paths), "-o", str(output), *options])
    return status, output


def load(path):
    return torch.load(path, weights_only=True)


def test_the_mean_of_every_parameter(tmp_path):
    models = [small("gru", seed=seed, share_all_embeddings=True) for seed in (1, 2, 3)]
    paths = [checkpoint(tmp_path / f"{n}.pt", model) for n, model in enumerate(models)]
    status, output = average(tmp_path, *paths)
    assert status == 0
    got = load(output)["model"]
    states = [model.state_dict() for model in models]
    assert got.keys() == states[0].keys()
    for name, tensor in got.items():
        mean = torch.stack([state[name].double() for state in states]).mean(0)
        torch.testing.assert_close(tensor, mean.to(tensor.dtype), atol=0, rtol=0)
    small("gru", share_all_embeddings=True).load_state_dict(got)


def test_shared_parameters_stay_one(tmp_path):
    shared = [small("gru", seed=seed, share_all_embeddings=True) for seed in (1, 2)]
    paths = [checkpoint(tmp_path / f"{n}.pt", model) for n, model in enumerate(shared)]
    got = load(average(tmp_path, *paths)[1])["model"]
    names = [name for name in got if name.endswith(("embed_tokens.weight", "projection.weight"))]
    assert len(names) == 3
    assert len({got[name].data_ptr() for name in names}) == 1
    expected = (shared[0].encoder.embed_tokens.weight + shared[1].encoder.embed_tokens.weight) / 2
    torch.testing.assert_close(got[names[0]], expected.detach())  # not counted several times


def test_parameters_shared_in_one_checkpoint_only(tmp_path):
    one, two, three = (torch.full((2,), value) for value in (1.0, 2.0, 5.0))
    first = checkpoint(tmp_path / "1.pt", {"a": one, "b": one})
    second = checkpoint(tmp_path / "2.pt", {"a": two, "b": three})
    got = load(average(tmp_path, first, second)[1])["model"]
    assert got["a"].tolist() == [1.5, 1.5]
    assert got["b"].tolist() == [3.0, 3.0]


def test_slices_of_one_memory_are_different_parameters(tmp_path):
    whole = torch.arange(6.0)  # like the flattened GRU weights on a GPU
    path = checkpoint(tmp_path / "1.pt", {"a": whole[:3], "b": whole[3:], "c": whole[:2]})
    got = load(average(tmp_path, path, path)[1])["model"]
    assert [got[name].tolist() for name in "abc"] == [[0, 1, 2], [3, 4, 5], [0, 1]]


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16, torch.float32, torch.float64])
def test_the_dtype_stays_and_nothing_overflows(tmp_path, dtype):
    large = 60000.0  # the sum of two overflows half precision
    paths = [
        checkpoint(tmp_path / f"{n}.pt", {"weight": torch.full((3,), large, dtype=dtype)})
        for n in range(4)
    ]
    got = load(average(tmp_path, *paths)[1])["model"]["weight"]
    assert got.dtype == dtype
    assert torch.equal(got, torch.full((3,), large, dtype=dtype))


def test_counters_and_everything_else_come_from_the_last(tmp_path):
    first = checkpoint(tmp_path / "1.pt", {"n": torch.tensor([3]), "w": torch.tensor([1.0])})
    last = checkpoint(
        tmp_path / "2.pt",
        {"n": torch.tensor([8]), "w": torch.tensor([2.0])},
        optimizer_history=[{"num_updates": 9}],
    )
    got = load(average(tmp_path, first, last)[1])
    assert got["model"] == {"n": torch.tensor([8]), "w": torch.tensor([1.5])}
    assert got["optimizer_history"] == [{"num_updates": 9}]
    assert got["args"].arch == "contextualized_transformer"
    assert "last_optimizer_state" not in got
    assert got["extra_state"] == {"epoch": 3, "best": 1.5}


def test_two_runs_give_the_same(tmp_path):
    paths = [checkpoint(tmp_path / f"{n}.pt", small("conv", seed=n)) for n in range(3)]
    runs = []
    for _ in range(2):
        runs.append(load(average(tmp_path, *paths)[1])["model"])
    assert all(torch.equal(runs[0][name], runs[1][name]) for name in runs[0])


def named(tmp_path, *names):
    for number, name in enumerate(names):
        checkpoint(tmp_path / name, {"w": torch.tensor([float(number)])})
    return tmp_path


FOLDER = (
    "checkpoint1.pt", "checkpoint2.pt", "checkpoint9.pt", "checkpoint10.pt", "checkpoint_last.pt",
    "checkpoint_best.pt", "checkpoint_1_500.pt", "checkpoint_2_1000.pt", "checkpoint_10_90.pt",
)  # fmt: skip


@pytest.mark.parametrize(
    "options, chosen",
    [
        (["--num-epoch-checkpoints", "2"], [2, 3]),
        (["--num-epoch-checkpoints", "3", "--checkpoint-upper-bound", "9"], [0, 1, 2]),
        (["--num-update-checkpoints", "2"], [6, 7]),
        (["--num-update-checkpoints", "1", "--checkpoint-upper-bound", "600"], [6]),
    ],
)
def test_the_last_checkpoints_of_a_folder(tmp_path, options, chosen):
    status, output = average(tmp_path, named(tmp_path, *FOLDER), options=options)
    assert status == 0
    assert load(output)["model"]["w"].item() == pytest.approx(sum(chosen) / len(chosen))


@pytest.mark.parametrize(
    "options, message",
    [
        ([], "is a folder: add --num-epoch-checkpoints or --num-update-checkpoints"),
        (["--num-epoch-checkpoints", "5"], "found 4 checkpoints named checkpointEPOCH.pt, but 5"),
        (["--num-epoch-checkpoints", "0"], "must be at least 1, not 0"),
        (
            ["--num-update-checkpoints", "3", "--checkpoint-upper-bound", "600"],
            "found 2 checkpoints named checkpoint_EPOCH_UPDATES.pt with a number up to 600, but 3",
        ),
        (["--checkpoint-upper-bound", "3"], "needs one of the --num options"),
    ],
)
def test_wrong_choices(tmp_path, capsys, options, message):
    status, output = average(tmp_path, named(tmp_path, *FOLDER), options=options)
    assert_refused(status, output, capsys, message)


def test_the_num_options_need_a_folder(tmp_path, capsys):
    path = checkpoint(tmp_path / "1.pt", {"w": torch.zeros(1)})
    status, output = average(tmp_path, path, options=["--num-epoch-checkpoints", "1"])
    assert_refused(status, output, capsys, "take one folder as --inputs")


def assert_refused(status, output, capsys, *messages):
    error = capsys.readouterr().err
    assert status == 1
    assert error.count("\n") == 1
    for message in messages:
        assert message in error
    assert not output.exists()


@pytest.mark.parametrize(
    "other, message",
    [
        (
            lambda: small("conv"),
            r"1\.pt does not match .*0\.pt: .*1\.pt lacks encoder.emb_ctx.\S+ and",
        ),
        (lambda: small("none"), r"1\.pt lacks encoder.emb_ctx.\S+ and 7 more"),
        (lambda: small("gru", encoder_ffn_embed_dim=48), r"\(48, 32\) of torch.float32 instead of"),
        (lambda: small("gru").half(), r"of torch.float16 instead of .* of torch.float32"),
        (lambda: small("gru", decoder_layers=3), r"0\.pt lacks decoder.layers.2"),
    ],
    ids=["conv", "none", "sizes", "dtype", "layers"],
)
def test_models_that_do_not_match(tmp_path, capsys, other, message):
    paths = [
        checkpoint(tmp_path / "0.pt", small("gru")),
        checkpoint(tmp_path / "1.pt", other()),
    ]
    status, output = average(tmp_path, *paths)
    error = capsys.readouterr().err
    assert status == 1
    assert re.search(message, error), error
    assert error.count("\n") == 1
    assert not output.exists()


class RunsCode:
    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return (open, (self.path, "w"))


def test_a_checkpoint_that_would_run_code_is_refused(tmp_path, capsys):
    proof = tmp_path / "proof"
    path = tmp_path / "evil.pt"
    torch.save({"model": {}, "args": RunsCode(proof)}, path, pickle_module=pickle)
    assert_refused(*average(tmp_path, path), capsys, "evil.pt", "open, which is not data")
    assert not proof.exists()


@pytest.mark.parametrize("old_format", [False, True])
@pytest.mark.parametrize("holds", [RunsCode("/nonexistent"), argparse.ArgumentTypeError("x")])
def test_no_message_advises_turning_the_safety_off(tmp_path, capsys, holds, old_format):
    path = tmp_path / "other.pt"
    torch.save({"model": {}, "x": holds}, path, _use_new_zipfile_serialization=not old_format)
    status, output = average(tmp_path, path)
    error = capsys.readouterr().err
    assert status == 1 and error.count("\n") == 1 and "which is not data" in error
    assert "weights_only" not in error and "trust" not in error
    assert not output.exists()


@pytest.mark.parametrize(
    "content", [b"", b"text\n", b"PK\x03\x04 no archive", b"\x80\x04.", pickle.dumps({"a": {1}}, 4)]
)
def test_a_file_that_is_not_a_checkpoint(tmp_path, capsys, content):
    path = tmp_path / "some.pt"
    path.write_bytes(content)
    assert_refused(*average(tmp_path, path), capsys, "some.pt: not a readable checkpoint")


def test_half_a_checkpoint(tmp_path, capsys):
    path = checkpoint(tmp_path / "whole.pt", {"w": torch.zeros(1000)})
    half = tmp_path / "half.pt"
    half.write_bytes(path.read_bytes()[:2000])
    assert_refused(*average(tmp_path, half), capsys, "half.pt: not a readable checkpoint")


def test_something_else_that_torch_saved(tmp_path, capsys):
    torch.save([1, 2], tmp_path / "list.pt")
    assert_refused(
        *average(tmp_path, tmp_path / "list.pt"), capsys, "list.pt: not a Fairseq checkpoint"
    )


def test_a_missing_file(tmp_path, capsys):
    assert_refused(*average(tmp_path, tmp_path / "no.pt"), capsys, "no.pt: No such file")


def test_an_input_is_never_replaced(tmp_path, capsys):
    one = checkpoint(tmp_path / "1.pt", {"w": torch.tensor([1.0])})
    two = checkpoint(tmp_path / "2.pt", {"w": torch.tensor([3.0])})
    assert main(["average-checkpoints", "-i", str(one), str(two), "-o", str(two)]) == 1
    assert "2.pt: this output would overwrite the input" in capsys.readouterr().err
    assert load(two)["model"]["w"].tolist() == [3.0]


def test_api_gives_what_the_command_writes(tmp_path):
    paths = [checkpoint(tmp_path / f"{n}.pt", small("gru", seed=n)) for n in range(2)]
    got, written = average_checkpoints(paths)["model"], load(average(tmp_path, *paths)[1])
    assert all(torch.equal(got[name], written["model"][name]) for name in got)
