"""Fairseq's own checkpoints load with ``weights_only`` left on, and nothing else does."""

import pickle
import random
import sys

import pytest
from conftest import run_command

import fairseq_subword_ext

torch = pytest.importorskip("torch")
pytest.importorskip("fairseq")

from task_helpers import run_fairseq  # noqa: E402

TINY = """--arch transformer --encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 16
--decoder-embed-dim 16 --encoder-ffn-embed-dim 16 --decoder-ffn-embed-dim 16
--encoder-attention-heads 2 --decoder-attention-heads 2 --optimizer adam --lr 0.01
--max-tokens 200 --cpu --no-progress-bar""".split()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run: two updates of a tiny stock Transformer on a bitext of letters with --eval-bleu."""
    folder = tmp_path_factory.mktemp("run")
    generator = random.Random(1)
    for split in "train", "valid", "test":
        lines = [" ".join(generator.choices("abcdefgh", k=6)) for _ in range(16)]
        for language in "xx", "en":
            (folder / f"{split}.{language}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    run_fairseq(
        "preprocess", "-s", "xx", "-t", "en", "--trainpref", "train", "--validpref", "valid",
        "--testpref", "test", "--destdir", "bin", "--joined-dictionary", cwd=folder,
    )  # fmt: skip
    train(folder, updates=2)
    return folder


def train(folder, updates):
    # --eval-bleu with stock code leaves numpy arrays in the checkpoint, the argparse model a Namespace.
    return run_fairseq(
        "train", "bin", "--save-dir", "ckpt", "--max-update", updates, *TINY,
        "--eval-bleu", "--eval-bleu-args", '{"beam": 2}', "--log-format", "simple", cwd=folder,
    )  # fmt: skip


def load(path):
    fairseq_subword_ext.register()
    return torch.load(path, weights_only=True)


def test_generate_from_an_ensemble(run):
    checkpoint = run / "ckpt" / "checkpoint_last.pt"
    printed = run_fairseq(
        "generate", "bin", "--path", f"{checkpoint}:{checkpoint}", "--cpu",
        "--required-batch-size-multiple", 1, cwd=run,
    )  # fmt: skip
    assert printed.count("\nH-") == 16


def test_interactive(run):
    printed = run_fairseq(
        "interactive", "bin", "--path", "ckpt/checkpoint_last.pt", "--cpu",
        "-s", "xx", "-t", "en", cwd=run, input="a b c\n",
    )  # fmt: skip
    assert "\nH-0" in printed


def test_validate(run):
    printed = run_fairseq(
        "validate", "bin", "--path", "ckpt/checkpoint_last.pt", "--cpu",
        "--task", "translation", "--valid-subset", "test", "--required-batch-size-multiple", 1,
        "--max-tokens", 200, cwd=run,
    )  # fmt: skip
    assert printed.scores("loss", "test")


def test_resume(run):
    assert "@ 2 updates" in train(run, updates=4)
    checkpoint = load(run / "ckpt" / "checkpoint_last.pt")
    assert checkpoint["optimizer_history"][-1]["num_updates"] == 4


class RunsCode:
    """A pickle of this creates a file when it is loaded without ``weights_only``."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return (open, (self.path, "w"))


def test_a_checkpoint_that_would_run_code_is_refused(run, tmp_path):
    proof = tmp_path / "proof"
    state = load(run / "ckpt" / "checkpoint_last.pt")
    state["extra_state"]["surprise"] = RunsCode(proof)
    torch.save(state, tmp_path / "evil.pt", pickle_module=pickle)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        run_fairseq("generate", "bin", "--path", tmp_path / "evil.pt", "--cpu", cwd=run)
    assert not proof.exists()


def test_without_the_plugin_torch_refuses(run):
    # Shows why the allow-list exists; fails once torch or Fairseq no longer need it.
    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 6):
        pytest.skip("torch < 2.6 does not load with weights_only by default")
    code = f"import torch; torch.load({str(run / 'ckpt' / 'checkpoint_last.pt')!r})"
    process = run_command(sys.executable, "-c", code, check=False)
    assert "Weights only load failed" in process.stderr
    code = f"import fairseq_subword_ext as p; p.register(); {code}; print('loaded')"
    assert run_command(sys.executable, "-c", code).stdout == "loaded\n"


def test_the_allow_list_covers_what_several_processes_broadcast(tmp_path):
    fairseq_subword_ext.register()
    from fairseq.dataclass.configs import FairseqConfig
    from omegaconf import OmegaConf

    config = OmegaConf.create({"a": [1, 2.5, None, "text"], "lr": [0.1]})
    structured = OmegaConf.structured(FairseqConfig().common)
    torch.save({"cfg": config, "common": OmegaConf.to_container(structured)}, tmp_path / "state.pt")
    assert torch.load(tmp_path / "state.pt", weights_only=True)["cfg"] == config
