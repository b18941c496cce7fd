"""Everything that Fairseq does with a model, done with ours."""

import inspect

import pytest
from model_helpers import (
    CONTEXTS,
    EOS,
    PAD,
    SMALL,
    Vocabulary,
    batch,
    build,
    collated,
    sentences,
    small,
    train_to_reverse,
    translate,
)

torch = pytest.importorskip("torch")

from fairseq.models.transformer import TransformerEncoderBase  # noqa: E402
from fairseq.sequence_generator import SequenceGenerator  # noqa: E402

from fairseq_subword_ext.models.contextualized_transformer import (  # noqa: E402
    ContextualizedTransformerEncoder,
)
from fairseq_subword_ext.models.gru_transformer import GRUTransformerEncoder  # noqa: E402

KINDS = (*CONTEXTS, "gru_transformer")


@pytest.fixture(scope="module", params=KINDS)
def trained(request):
    return train_to_reverse(small(request.param), updates=25)


def test_forward_embedding_has_the_parents_signature():
    parent = inspect.signature(TransformerEncoderBase.forward_embedding)
    for encoder in ContextualizedTransformerEncoder, GRUTransformerEncoder:
        ours = inspect.signature(encoder.forward_embedding)
        assert list(ours.parameters) == list(parent.parameters)
        for name, parameter in ours.parameters.items():
            assert parameter.default == parent.parameters[name].default
            assert parameter.kind == parent.parameters[name].kind


@pytest.mark.parametrize("context", ["conv", "gru"])
def test_the_context_comes_before_the_positions(context):
    model = small(context, layernorm_embedding=True).eval()
    encoder, tokens = model.encoder, batch(sentences(4))
    x, embedding = encoder.forward_embedding(tokens)
    scaled = encoder.embed_tokens(tokens) * SMALL["encoder_embed_dim"] ** 0.5
    torch.testing.assert_close(embedding, scaled)  # the embeddings, without their context
    contextualized = encoder.emb_ctx(scaled, tokens == PAD)
    expected = encoder.layernorm_embedding(contextualized + encoder.embed_positions(tokens))
    torch.testing.assert_close(x, expected)


def test_without_a_context_it_is_fairseqs_transformer():
    ours, theirs = small("none").eval(), build("transformer", **SMALL).eval()
    theirs.load_state_dict(ours.state_dict())
    for row in sentences(6):
        sample = collated([row])["net_input"]
        torch.testing.assert_close(ours(**sample)[0], theirs(**sample)[0])


def test_dropout_of_the_context_is_off_in_evaluation(trained):
    sample = collated(sentences(6))["net_input"]
    torch.testing.assert_close(trained(**sample)[0], trained(**sample)[0], atol=0, rtol=0)


def test_an_empty_line():
    for kind in KINDS:
        model = small(kind).eval()
        assert model.encoder(torch.tensor([[EOS]]))["encoder_out"][0].shape == (1, 1, 32)
        assert len(translate(model, [torch.tensor([EOS])])) == 1


def test_incremental_decoding_gives_the_scores_of_full_decoding(trained):
    rows = sentences(10, seed=4)
    generator = SequenceGenerator(
        [trained], Vocabulary().target_dictionary, beam_size=5, max_len_b=16, max_len_a=0
    )
    sample = collated(rows)
    for number, hypotheses in enumerate(generator.generate([trained], sample)):
        for hypothesis in hypotheses:
            tokens = hypothesis["tokens"]
            previous = torch.cat([torch.tensor([EOS]), tokens[:-1]])
            with torch.no_grad():
                logits, _ = trained(
                    rows[number].unsqueeze(0), torch.tensor([len(rows[number])]), previous[None]
                )
            scores = logits[0].log_softmax(1).gather(1, tokens[:, None])[:, 0]
            torch.testing.assert_close(hypothesis["positional_scores"], scores, atol=1e-4, rtol=0)


def test_beam_search_with_a_prefix(trained):
    rows = sentences(4)[1:]
    generator = SequenceGenerator(
        [trained], Vocabulary().target_dictionary, beam_size=5, max_len_a=0, max_len_b=8
    )
    prefix = torch.tensor([[7, 8], [9, 10], [11, 12]])
    found = generator.generate([trained], collated(rows), prefix_tokens=prefix)
    assert [h[0]["tokens"][:2].tolist() for h in found] == prefix.tolist()
    assert all(len(h) == 5 for h in found)


def test_an_ensemble_of_contexts():
    # An ensemble of two copies equals the model; with two models, their mean probability decides.
    one, other = (train_to_reverse(small(kind), updates=25) for kind in ("gru", "conv"))
    rows = sentences(30, seed=6)
    assert translate([one, one], rows) == translate(one, rows)
    generator = SequenceGenerator(
        [one, other], Vocabulary().target_dictionary, beam_size=1, max_len_a=0, max_len_b=16
    )
    best = generator.generate([one, other], collated(rows))[5][0]
    previous = torch.cat([torch.tensor([EOS]), best["tokens"][:-1]])[None]
    source = rows[5][None]
    with torch.no_grad():
        probabilities = [
            model(source, torch.tensor([source.size(1)]), previous)[0][0].softmax(1)
            for model in (one, other)
        ]
    mean = (sum(probabilities) / 2).log()
    scores = mean.gather(1, best["tokens"][:, None])[:, 0]
    torch.testing.assert_close(best["positional_scores"], scores, atol=1e-4, rtol=0)


@pytest.mark.parametrize("left", [True, False])
def test_scripted_model_gives_the_same(trained, left):
    scripted = torch.jit.script(trained)
    for rows in sentences(6), sentences(1), sentences(9, seed=8):
        net_input = collated(rows, left)["net_input"]
        got, expected = scripted(**net_input)[0], trained(**net_input)[0]
        torch.testing.assert_close(got, expected, atol=1e-5, rtol=1e-5)


def test_scripted_encoder_can_be_reordered(trained):
    rows = sentences(5)
    encoder = torch.jit.script(trained.encoder)
    order = torch.tensor([3, 0, 0, 4])
    out = encoder(batch(rows), torch.tensor([len(row) for row in rows]))
    states = trained.encoder(batch(rows))["encoder_out"][0]
    reordered = encoder.reorder_encoder_out(out, order)["encoder_out"][0]
    torch.testing.assert_close(reordered, states[:, order], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_shared_embeddings_are_one_parameter(kind):
    model = small(kind, share_all_embeddings=True)
    shared = model.encoder.embed_tokens.weight
    assert model.decoder.embed_tokens.weight is shared
    assert model.decoder.output_projection.weight is shared
    train_to_reverse(model, updates=2)
    assert model.decoder.output_projection.weight is shared


def test_sharing_needs_a_joined_dictionary():
    with pytest.raises(ValueError, match="--share-all-embeddings requires a joined dictionary"):
        build(vocabulary=Vocabulary(20, 30), share_all_embeddings=True, **SMALL)


def test_two_dictionaries():
    vocabulary = Vocabulary(24, 30)
    model = build(vocabulary=vocabulary, **SMALL).eval()
    assert model(**collated(sentences(3))["net_input"])[0].size(2) == 30
    assert len(translate(model, sentences(3), vocabulary=vocabulary)) == 3


@pytest.mark.parametrize("kind", ["conv", "gru", "gru_transformer"])
def test_every_parameter_of_the_context_learns(kind):
    model = small(kind, encoder_layerdrop=0.5)
    before = [parameter.detach().clone() for parameter in model.encoder.emb_ctx.parameters()]
    train_to_reverse(model, updates=3)
    for parameter, old in zip(model.encoder.emb_ctx.parameters(), before):
        assert not torch.equal(parameter, old)


def test_layerdrop_leaves_out_layers_in_training_only():
    model = small("gru", encoder_layerdrop=0.9)
    rows = batch(sentences(4))
    ran = []
    for layer in model.encoder.layers._modules.values():
        layer.register_forward_hook(lambda *_: ran.append(1))
    model.train()
    for _ in range(20):
        model.encoder(rows)
    assert len(ran) < 20
    ran.clear()
    model.eval().encoder(rows)
    assert len(ran) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_checkpointed_activations_give_the_same_gradients(kind):
    options = {"dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0}
    sample = collated(sentences(6))["net_input"]
    gradients = []
    for checkpointed in False, True:
        model = small(kind, checkpoint_activations=checkpointed, **options)
        model(**sample)[0].sum().backward()
        gradients.append({name: p.grad for name, p in model.named_parameters()})
    assert gradients[0].keys() == gradients[1].keys()
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], gradient, atol=1e-5, rtol=1e-4)


# torch 1 has no half precision on the CPU.
HALF = [] if torch.__version__.startswith("1.") else [torch.half]


@pytest.mark.parametrize("dtype", [*HALF, torch.bfloat16])
@pytest.mark.parametrize("kind", KINDS)
def test_lower_precision(kind, dtype):
    # The first state of the GRU has the dtype of its input.
    model = small(kind).eval()
    sample = collated(sentences(6))["net_input"]
    expected = model(**sample)[0].log_softmax(2)
    got = model.to(dtype)(**sample)[0]
    assert got.dtype == dtype
    torch.testing.assert_close(got.float().log_softmax(2), expected, atol=0.15, rtol=0.05)


def test_automatic_mixed_precision():
    model = train_to_reverse(small("gru"), updates=1).train()
    sample = collated(sentences(6))["net_input"]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = model(**sample)[0].float().sum()
    loss.backward()
    assert all(p.grad.dtype == torch.float32 for p in model.encoder.emb_ctx.parameters())


def test_alignment_does_not_depend_on_padding(trained):
    # Attention over a padded batch, cut to the sentence, equals that of the sentence alone.
    rows = sentences(5)
    together = collated(rows)["net_input"]
    with torch.no_grad():
        attention = trained(**together, alignment_layer=1)[1]["attn"][0]
        for number, row in enumerate(rows):
            alone = collated([row])["net_input"]
            expected = trained(**alone, alignment_layer=1)[1]["attn"][0][0]
            got = attention[number, : len(row), together["src_tokens"][number] != PAD]
            torch.testing.assert_close(got, expected, atol=1e-5, rtol=0)


def test_no_list_of_pretrained_plain_transformers():
    from fairseq_subword_ext.models.contextualized_transformer import ContextualizedTransformerModel

    assert ContextualizedTransformerModel.hub_models() == {}
