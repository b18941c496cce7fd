"""Padding never matters, whereas it does in Fairseq's example."""

import pytest
from model_helpers import (
    PAD,
    batch,
    encode,
    example,
    sentences,
    small,
    train_to_reverse,
    translate,
)

torch = pytest.importorskip("torch")

KINDS = ("none", "conv", "gru", "gru_transformer")
TOLERANCE = 1e-5


@pytest.fixture(scope="module", params=KINDS)
def trained(request):
    return train_to_reverse(small(request.param, dropout=0.0))


@pytest.fixture(params=["random", "trained"])
def model(request, trained):
    if request.param == "trained":
        return trained
    torch.manual_seed(5)
    fresh = small_like(trained)
    return fresh.eval()


def small_like(model):
    """The same model before training."""
    fresh = small(
        "gru_transformer"
        if type(model).__name__ == "GRUTransformerModel"
        else model.encoder.cfg.embedding_context
    )
    for parameter in fresh.encoder.parameters():
        if parameter.dim() == 1:  # biases of zero would hide what padding does
            torch.nn.init.normal_(parameter, std=0.3)
    return fresh


def difference(one, other):
    return max((a - b).abs().max().item() for a, b in zip(one, other))


@pytest.mark.parametrize("left", [True, False], ids=["left", "right"])
def test_encoding_is_the_same_alone_padded_and_in_any_batch(model, left):
    rows = sentences(12)
    alone = [encode(model, row.unsqueeze(0))[0] for row in rows]
    padded = [encode(model, batch([row], left, extra=5))[0] for row in rows]
    assert difference(alone, padded) < TOLERANCE
    assert difference(alone, encode(model, batch(rows, left))) < TOLERANCE
    backwards = encode(model, batch(rows[::-1], left, extra=2))[::-1]
    assert difference(alone, backwards) < TOLERANCE


def test_left_and_right_padding_in_one_batch(model):
    rows = sentences(6)
    left, right = batch(rows, left=True, extra=1), batch(rows, left=False, extra=1)
    mixed = torch.cat([left, right])
    states = encode(model, mixed)
    assert difference(states[:6], states[6:]) < TOLERANCE


def test_given_embeddings_are_ignored_at_padding(model):
    tokens = batch(sentences(6))
    vectors = model.encoder.embed_tokens(tokens).detach()
    vectors[tokens == PAD] = 7.0
    with torch.no_grad():
        out = model.encoder(tokens, token_embeddings=vectors)["encoder_out"][0].transpose(0, 1)
    given = [states[row != PAD] for states, row in zip(out, tokens)]
    assert difference(encode(model, tokens), given) < TOLERANCE


def test_the_oracle_sees_padding():
    # The tests above would fail if our models were like Fairseq's example.
    model = example().eval()
    rows = sentences(12)
    alone = [encode(model, row.unsqueeze(0))[0] for row in rows]
    assert difference(alone, encode(model, batch(rows, extra=5))) > 0.01


def test_200_translations_do_not_depend_on_the_batch(trained):
    rows = sentences(200, seed=9)
    alone = [translate(trained, [row])[0] for row in rows]
    assert len({tuple(hypothesis) for hypothesis in alone}) > 100  # or equality would say little
    for left in True, False:
        assert translate(trained, rows, left) == alone
    shuffled = rows[1::2] + rows[::2]
    assert translate(trained, shuffled) == alone[1::2] + alone[::2]


def test_30_random_models_translate_alike_alone_and_batched_with_a_longer_sentence():
    short, long = sentences(3, seed=2)[1][-4:], sentences(2, seed=3, longest=14)[1]
    long = torch.cat([long[:-1], long])

    def changed(model):
        return translate(model, [short])[0] != translate(model, [short, long])[0]

    for seed in range(30):
        for context in "gru", "conv":
            assert not changed(small(context, seed=seed).eval())
    assert any(changed(example(seed=seed).eval()) for seed in range(30))
