"""gru_transformer against an oracle: Fairseq's example, reimplemented."""

import pytest
from model_helpers import SMALL, batch, encode, example, sentences, small

torch = pytest.importorskip("torch")

# As torch.nn.GRU names them; checkpoints of the example hold them after "encoder.emb_ctx.".
GRU_NAMES = {
    f"{kind}_{part}_l0{direction}"
    for kind in ("weight", "bias")
    for part in ("ih", "hh")
    for direction in ("", "_reverse")
}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"layernorm_embedding": True},
        {"encoder_normalize_before": True, "decoder_normalize_before": True},
        {"encoder_learned_pos": True, "no_scale_embedding": True},
        {"share_all_embeddings": True},
    ],
    ids=str,
)
def test_a_checkpoint_of_the_example_encodes_as_in_the_example(options):
    theirs, ours = example(seed=2, **options).eval(), small("gru_transformer", **options).eval()
    state = theirs.state_dict()
    assert {name for name in state if "emb_ctx" in name} == {
        f"encoder.emb_ctx.{name}" for name in GRU_NAMES
    }
    ours.load_state_dict(state)  # strict: no name is missing or left over
    for row in sentences(8):
        expected, got = encode(theirs, row[None])[0], encode(ours, row[None])[0]
        torch.testing.assert_close(got, expected, atol=1e-5, rtol=0)


def test_in_a_padded_batch_it_differs_on_purpose():
    theirs, ours = example(seed=2).eval(), small("gru_transformer").eval()
    ours.load_state_dict(theirs.state_dict())
    rows = sentences(8)
    for layer in theirs.encoder.layers:
        layer.can_use_fastpath = False  # of Fairseq 0.12.2; it fails on padding
    expected, got = encode(theirs, batch(rows)), encode(ours, batch(rows))
    assert max((a - b).abs().max() for a, b in zip(expected, got)) > 0.01


def test_old_checkpoints_name_sinusoidal_positions():
    theirs, ours = example(seed=2).eval(), small("gru_transformer").eval()
    state = theirs.state_dict()
    for side in "encoder", "decoder":
        state[f"{side}.embed_positions._float_tensor"] = torch.zeros(1)
    ours.load_state_dict(state)


def test_the_names_of_the_two_models_are_the_same():
    # One checkpoint fits both architectures; only the order of context and positions differs.
    assert list(small("gru").state_dict()) == list(small("gru_transformer").state_dict())


def test_order_and_dropout_of_the_example():
    # In training, the example applies dropout before and after the GRU; ours must draw the same masks.
    options = {"dropout": 0.5, **SMALL}
    theirs, ours = example(seed=2, **options), small("gru_transformer", **options)
    ours.load_state_dict(theirs.state_dict())
    tokens = sentences(4)[2][None]
    outputs = []
    for model in theirs, ours:
        torch.manual_seed(7)
        outputs.append(model.encoder.forward_embedding(tokens)[0])
    torch.testing.assert_close(outputs[1], outputs[0], atol=1e-5, rtol=0)
