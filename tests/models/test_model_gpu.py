"""The models on a GPU: the same results as on the CPU, lower precision, weights laid out for cuDNN."""

import random
import warnings
from pathlib import Path

import pytest
from model_helpers import (
    SMALL,
    Vocabulary,
    batch,
    collated,
    encode,
    sentences,
    small,
    train_to_reverse,
)

torch = pytest.importorskip("torch")

from fairseq.sequence_generator import SequenceGenerator  # noqa: E402
from fairseq.utils import move_to_cuda  # noqa: E402

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "fairseq_subword_ext"
KINDS = ("none", "conv", "gru", "gru_transformer")


@pytest.fixture(autouse=True)
def full_precision():
    """Turns off TF32, which would blur the comparisons."""
    matmul, cudnn = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    yield
    torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = matmul, cudnn


def difference(one, other):
    return max((a.cpu().float() - b.cpu().float()).abs().max().item() for a, b in zip(one, other))


@pytest.mark.parametrize("kind", KINDS)
def test_encoding_equals_that_of_the_cpu(kind):
    model, rows = small(kind).eval(), sentences(12)
    expected = encode(model, batch(rows))
    assert difference(encode(model.cuda(), batch(rows).cuda()), expected) < 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_equal_those_of_the_cpu(kind):
    options = {"dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0}
    gradients = []
    for device in "cpu", "cuda":
        model = small(kind, **options).to(device).train()
        sample = collated(sentences(12))
        net_input = sample["net_input"] if device == "cpu" else move_to_cuda(sample["net_input"])
        model(**net_input)[0].log_softmax(2)[..., 5].sum().backward()
        gradients.append({name: p.grad.cpu() for name, p in model.named_parameters()})
    for name, expected in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], expected, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.half, torch.bfloat16])
@pytest.mark.parametrize("kind", KINDS)
def test_padding_never_matters(kind, dtype):
    model, rows = small(kind).eval().cuda().to(dtype), sentences(12)
    alone = [encode(model, row[None].cuda())[0] for row in rows]
    tolerance = {torch.float32: 1e-5, torch.half: 0.01, torch.bfloat16: 0.08}[dtype]
    for left in True, False:
        assert difference(alone, encode(model, batch(rows, left, extra=5).cuda())) < tolerance


@pytest.mark.parametrize("kind", ["gru", "gru_transformer"])
def test_weights_are_laid_out_for_cudnn(kind):
    # torch warns if it has to copy the weights at every call.
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*contiguous chunk of memory.*")
        for model in small(kind).cuda(), small(kind).half().cuda():
            model.train()(**move_to_cuda(collated(sentences(4))["net_input"]))
            model.eval().encoder(batch(sentences(4)).cuda())
        state = small(kind, seed=2).state_dict()
        model.load_state_dict(state)
        model.encoder(batch(sentences(4)).cuda())


@pytest.mark.parametrize("kind", KINDS)
def test_scripted_model_gives_the_same(kind):
    model = small(kind).eval().cuda()
    net_input = move_to_cuda(collated(sentences(9))["net_input"])
    got, expected = torch.jit.script(model)(**net_input)[0], model(**net_input)[0]
    torch.testing.assert_close(got, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16])
def test_automatic_mixed_precision(dtype):
    model = small("gru").cuda().train()
    with torch.autocast("cuda", dtype=dtype):
        loss = model(**move_to_cuda(collated(sentences(6))["net_input"]))[0].float().sum()
    loss.backward()
    assert all(torch.isfinite(p.grad).all() for p in model.encoder.emb_ctx.parameters())


@pytest.mark.parametrize("kind", ["conv", "gru"])
def test_200_translations_do_not_depend_on_the_batch(kind):
    model = train_to_reverse(small(kind)).cuda()
    generator = SequenceGenerator(
        [model], Vocabulary().target_dictionary, beam_size=4, max_len_a=0, max_len_b=16
    ).cuda()
    rows = sentences(200, seed=9)

    def translate(some):
        found = generator.generate([model], move_to_cuda(collated(some)))
        return [best[0]["tokens"].tolist() for best in found]

    alone = [translate([row])[0] for row in rows]
    assert len({tuple(hypothesis) for hypothesis in alone}) > 100
    assert translate(rows) == alone


@pytest.fixture(scope="module")
def data(tmp_path_factory, fairseq):
    folder = tmp_path_factory.mktemp("gpu")
    draw = random.Random(1)
    for split, count in ("train", 200), ("valid", 20), ("test", 20):
        lines = [draw.choices("abcdefgh", k=draw.randint(1, 9)) for _ in range(count)]
        for name, order in ("xx", 1), ("en", -1):
            text = "".join(" ".join(line[::order]) + "\n" for line in lines)
            (folder / f"{split}.{name}").write_text(text, encoding="utf-8")
    fairseq(
        "preprocess", "-s", "xx", "-t", "en", "--trainpref", "train", "--validpref", "valid",
        "--testpref", "test", "--destdir", "bin", "--joined-dictionary", cwd=folder,
    )  # fmt: skip
    return folder


@pytest.mark.parametrize("context", ["conv", "gru"])
@pytest.mark.parametrize("flag", ["--fp16", "--memory-efficient-fp16", "--amp"])
def test_trains_and_translates_with(data, fairseq, flag, context):
    name = f"{flag.strip('-')}-{context}"
    sizes = [f"--{option.replace('_', '-')}={value}" for option, value in SMALL.items()]
    process = fairseq(
        "train", "bin", "--user-dir", PACKAGE, "--arch", "contextualized_transformer",
        "--embedding-context", context, *sizes, "--optimizer", "adam", "--lr", "0.001",
        "--max-tokens", 600, "--max-update", 3, flag, "--save-dir", name, "--log-format", "simple",
        "--required-batch-size-multiple", 1, cwd=data,
    )  # fmt: skip
    assert "num_updates 3" in process.stdout + process.stderr
    for options in [], ["--fp16"]:
        process = fairseq(
            "generate", "bin", "--user-dir", PACKAGE, "--path", f"{name}/checkpoint_last.pt",
            "--beam", 3, "--max-len-a", 0, "--max-len-b", 12, *options,
            "--required-batch-size-multiple", 1, cwd=data,
        )  # fmt: skip
        assert process.stdout.count("\nH-") == 20


def test_bf16_through_hydra(data, fairseq):
    process = fairseq(
        "hydra_train", "--config-dir", ROOT / "configs" / "contextualized_transformer",
        "--config-name", "tiny", f"common.user_dir={PACKAGE}", f"task.data={data / 'bin'}",
        "common.bf16=true", "optimization.max_update=3", "dataset.max_tokens=600",
        f"checkpoint.save_dir={data / 'bf16'}", f"hydra.run.dir={data / 'outputs'}", cwd=data,
    )  # fmt: skip
    assert "num_updates 3" in process.stdout + process.stderr
