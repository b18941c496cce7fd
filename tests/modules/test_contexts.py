"""The contextualizers as plain torch modules."""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from fairseq_subword_ext.modules.conv_context import ConvContext  # noqa: E402
from fairseq_subword_ext.modules.embedding_context import build_embedding_context  # noqa: E402
from fairseq_subword_ext.modules.gru_context import GRUContext  # noqa: E402

DIM = 6


def context(kind, dim=DIM):
    torch.manual_seed(1)
    return build_embedding_context(kind, dim)


def masks(rows=40, length=9, seed=2):
    """Random masks: tokens anywhere, with padding on either side, between, or nowhere."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(rows, length, generator=generator) < 0.4
    mask[0] = False
    mask[1, 1:] = True  # one token, at either end
    mask[2, :-1] = True
    mask[3] = True  # nothing but padding
    return mask


def test_an_unpadded_batch_equals_torchs_gru():
    ours, torchs = context("gru"), torch.nn.GRU(DIM, DIM // 2, bidirectional=True, batch_first=True)
    ours.load_state_dict(torchs.state_dict())
    x = torch.randn(5, 7, DIM)
    got, expected = ours(x, torch.zeros(5, 7, dtype=torch.bool)), torchs(x)[0]
    torch.testing.assert_close(got, expected, atol=1e-6, rtol=0)
    torchs.load_state_dict(ours.state_dict())  # and back, by the same names


def test_an_unpadded_batch_equals_torchs_convolution():
    ours, torchs = context("conv"), torch.nn.Conv1d(DIM, DIM, 5, padding=2, groups=DIM)
    ours.load_state_dict(torchs.state_dict())
    x = torch.randn(5, 7, DIM)
    got = ours(x, torch.zeros(5, 7, dtype=torch.bool))
    torch.testing.assert_close(got, torchs(x.transpose(1, 2)).transpose(1, 2), atol=1e-6, rtol=0)


def test_a_convolution_by_hand():
    # Kernel 3 with the weights 1, 10, 100 over the left neighbor, the token and the right neighbor.
    conv = ConvContext(1, 3)
    with torch.no_grad():
        conv.weight.copy_(torch.tensor([[[1.0, 10.0, 100.0]]]))
        conv.bias.fill_(0.5)
    x = torch.tensor([[9.0, 1.0, 2.0, 3.0]]).unsqueeze(2)
    mask = torch.tensor([[True, False, False, False]])
    assert conv(x, mask).flatten().tolist() == [0.0, 210.5, 321.5, 32.5]


@pytest.mark.parametrize("kind", ["conv", "gru"])
def test_gradients_equal_those_of_each_sentence_alone(kind):
    # One batch with trailing and leading padding against one sentence at a time, by torch's modules.
    module = context(kind).double()
    x = torch.randn(3, 6, DIM, dtype=torch.double)
    weight = torch.randn(3, 6, DIM, dtype=torch.double)
    mask = torch.tensor([[False] * 6, [True] * 2 + [False] * 4, [False] * 3 + [True] * 3])
    (module(x, mask) * weight).sum().backward()
    batched = [parameter.grad.clone() for parameter in module.parameters()]
    module.zero_grad()
    total = 0.0
    for row in range(3):
        part = x[row][~mask[row]].unsqueeze(0)
        nothing = torch.zeros(part.shape[:2], dtype=torch.bool)
        total = total + (module(part, nothing)[0] * weight[row][~mask[row]]).sum()
    total.backward()
    for got, parameter in zip(batched, module.parameters()):
        torch.testing.assert_close(got, parameter.grad)


@pytest.mark.parametrize("kind", ["conv", "gru"])
def test_padding_is_never_read_and_gives_zero(kind):
    module, mask = context(kind), masks()
    x = torch.randn(*mask.shape, DIM)
    poisoned = x.masked_fill(mask.unsqueeze(2), float("nan"))
    out = module(x.masked_fill(mask.unsqueeze(2), 0.0), mask)
    assert out[mask].eq(0).all()
    torch.testing.assert_close(module(poisoned, mask), out, atol=0, rtol=0)


def test_gru_reads_the_tokens_in_order_wherever_padding_is():
    module, mask = context("gru"), masks()
    x = torch.randn(*mask.shape, DIM)
    out = module(x, mask)
    for row in range(len(mask)):
        tokens = x[row][~mask[row]].unsqueeze(0)
        if tokens.size(1):
            alone = module(tokens, torch.zeros(tokens.shape[:2], dtype=torch.bool))[0]
            torch.testing.assert_close(out[row][~mask[row]], alone, atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", ["conv", "gru"])
def test_scripted_module_gives_the_same(kind):
    module, mask = context(kind), masks()
    x = torch.randn(*mask.shape, DIM)
    torch.testing.assert_close(torch.jit.script(module)(x, mask), module(x, mask))


# torch 1 has no half precision on the CPU.
HALF = [] if torch.__version__.startswith("1.") else [torch.half]


@pytest.mark.parametrize("dtype", [*HALF, torch.bfloat16, torch.double])
@pytest.mark.parametrize("kind", ["conv", "gru"])
def test_output_has_the_dtype_of_the_input(kind, dtype):
    module, mask = context(kind).to(dtype), masks()
    x = torch.randn(*mask.shape, DIM, dtype=dtype)
    out = module(x, mask)
    assert out.dtype == dtype
    expected = context(kind)(x.float(), mask)
    torch.testing.assert_close(out.float(), expected, atol=0.05, rtol=0.05)


@pytest.mark.parametrize("kind", ["conv", "gru"])
def test_gradients_flow_in_evaluation_mode_too(kind):
    module, mask = context(kind).eval(), masks()
    x = torch.randn(*mask.shape, DIM, requires_grad=True)
    module(x, mask).sum().backward()
    assert x.grad[~mask].abs().sum() > 0
    assert x.grad[mask].eq(0).all()


def test_moving_a_module_keeps_its_parameters():
    module = GRUContext(DIM)
    before = [parameter.data_ptr() for parameter in module.parameters()]
    assert [p.data_ptr() for p in module.float().parameters()] == before


def test_moving_a_module_flattens_each_direction_separately(monkeypatch):
    # torch does the flattening, on a GPU only; here, that it gets the right parameters.
    flattened = []

    def record(gru):
        if not gru.weight_ih_l0.is_meta:  # every new GRU calls it too
            flattened.append((gru.input_size, gru.hidden_size, list(gru._flat_weights)))

    monkeypatch.setattr(torch.nn.GRU, "flatten_parameters", record)
    module = GRUContext(DIM)
    flattened.clear()
    module.double()
    names = "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"
    assert [sizes for *sizes, _ in flattened] == [[DIM, DIM // 2]] * 2
    for direction, (_, _, weights) in zip(("", "_reverse"), flattened):
        for name, weight in zip(names, weights):
            assert weight is getattr(module, name + direction)


@pytest.mark.parametrize("dim", [301, 1, 0, -2])
def test_gru_needs_an_even_dimension(dim):
    with pytest.raises(ValueError, match=f"must be even and at least 2, not {dim}$"):
        GRUContext(dim)


def test_gru_takes_even_dimensions():
    assert GRUContext(300)(torch.randn(1, 2, 300), torch.zeros(1, 2).bool()).shape == (1, 2, 300)


@pytest.mark.parametrize("size", [0, 2, 4, -1])
def test_conv_needs_an_odd_kernel(size):
    with pytest.raises(ValueError, match=f"an odd integer of at least 1.*found {size}$"):
        ConvContext(DIM, size)


def test_kinds_by_name():
    assert build_embedding_context("none", DIM) is None
    assert build_embedding_context("conv", DIM, 7).kernel_size == (7,)
    for wrong in ("GRU", "lstm", None):
        with pytest.raises(ValueError, match="must be one of none, conv, gru"):
            build_embedding_context(wrong, DIM)


def test_modules_need_no_fairseq():
    code = (
        "import sys; import fairseq_subword_ext.modules.embedding_context as m; "
        "m.build_embedding_context('gru', 4); assert 'fairseq' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
