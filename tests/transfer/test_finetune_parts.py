"""The part that each parameter belongs to, also with tied parameters."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("fairseq")

from torch import nn  # noqa: E402

from fairseq_subword_ext.transfer.finetune_parts import (  # noqa: E402
    describe,
    freeze_others,
    model_parts,
    name_parts,
    parse_parts,
)


class Side(nn.Module):
    def __init__(self, embedding, with_output):
        super().__init__()
        self.embed_tokens = embedding
        self.layers = nn.ModuleList([nn.Linear(4, 4)])
        if with_output:
            self.output_projection = nn.Linear(4, 6, bias=False)
        else:
            self.emb_ctx = nn.GRU(4, 4)
            self.layernorm_embedding = nn.LayerNorm(4)


def model(shared=False, tied=False):
    """A minimal translation model: 6 symbols, 4 dimensions."""
    whole = nn.Module()
    embedding = nn.Embedding(6, 4)
    whole.encoder = Side(embedding, with_output=False)
    whole.decoder = Side(embedding if shared else nn.Embedding(6, 4), with_output=True)
    if tied:
        whole.decoder.output_projection.weight = whole.decoder.embed_tokens.weight
    return whole


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("all", "embed enc dec"),
        ("embed+enc+dec", "embed enc dec"),
        ("dec+enc", "enc dec"),
        ("enc, dec", "enc dec"),
        ("enc+enc", "enc"),
        (" embed ", "embed"),
    ],
)
def test_parts_are_named_in_any_order(text, parts):
    assert parse_parts(text) == tuple(parts.split())
    assert parse_parts(name_parts(parse_parts(text))) == parse_parts(text)


def parts_of(whole):
    return {name: tensor.part for tensor in model_parts(whole) for name in tensor.names}


def test_untied_weights():
    found = parts_of(model())
    assert found["encoder.embed_tokens.weight"] == found["decoder.embed_tokens.weight"] == "embed"
    assert (
        found["decoder.output_projection.weight"] == "dec"
    )  # its own rows, not those of embeddings
    assert {part for name, part in found.items() if name.startswith("encoder.emb_ctx")} == {"enc"}
    assert found["encoder.layernorm_embedding.weight"] == "enc"
    assert found["decoder.layers.0.bias"] == "dec"


def test_a_tied_output_projection_goes_with_the_embeddings():
    whole = model(tied=True)
    assert parts_of(whole)["decoder.output_projection.weight"] == "embed"
    freeze_others(whole, ("enc", "dec"))
    assert not whole.decoder.output_projection.weight.requires_grad
    lines = describe(model_parts(whole))
    assert lines[0] == "part embed: 0 parameters trained, 48 frozen"
    assert lines[2] == "part dec: 20 parameters trained, 0 frozen"
    assert lines[3:] == [
        "tied, so frozen together as embed: decoder.embed_tokens.weight = "
        "decoder.output_projection.weight"
    ]


def test_three_names_of_one_tensor():
    whole = model(shared=True, tied=True)
    freeze_others(whole, ("embed",))
    trained = {name for name, p in whole.named_parameters() if p.requires_grad}
    assert trained == {"encoder.embed_tokens.weight"}  # the other two names are the same tensor
    assert describe(model_parts(whole))[0] == "part embed: 24 parameters trained, 0 frozen"


def test_parameters_fixed_by_the_model_stay_fixed():
    whole = model()
    whole.encoder.layers[0].bias.requires_grad_(False)
    freeze_others(whole, ("enc",))
    assert not whole.encoder.layers[0].bias.requires_grad
    assert whole.encoder.layers[0].weight.requires_grad


def test_a_part_that_the_model_keeps_fixed_leaves_nothing_to_train():
    whole = model(shared=True, tied=True)
    whole.encoder.embed_tokens.weight.requires_grad_(False)
    with pytest.raises(ValueError, match="--finetune embed leaves nothing to train"):
        freeze_others(whole, ("embed",))


def test_a_parameter_outside_both_sides_is_named():
    whole = model()
    whole.classifier = nn.Linear(4, 2)
    with pytest.raises(ValueError, match=r"classifier\.weight is in neither an encoder"):
        model_parts(whole)
