"""Shared by the tests of the models. Not a conftest.py, since other folders would import that name."""

import argparse
import contextlib
import random

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("fairseq")

from fairseq import models  # noqa: E402
from fairseq.data import Dictionary  # noqa: E402
from fairseq.models.transformer import (  # noqa: E402
    TransformerConfig,
    TransformerEncoderBase,
    TransformerModel,
)
from fairseq.sequence_generator import SequenceGenerator  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

import fairseq_subword_ext  # noqa: E402

fairseq_subword_ext.register()

PAD, EOS, FIRST = 1, 2, 4  # as in every Dictionary: <s> <pad> </s> <unk>, then the symbols

CONTEXTS = ("none", "conv", "gru")

SMALL = {
    "encoder_embed_dim": 32,
    "encoder_ffn_embed_dim": 64,
    "encoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_layers": 2,
    "decoder_attention_heads": 2,
}


# Wang, Cho & Gu 2020, Table 2: layers, dimension, feed-forward, heads, dropout. Tiny is our own.
TABLE_2 = {
    "tiny": (2, 128, 512, 4, 0.1),
    "flores": (5, 512, 2048, 2, 0.4),
    "base": (6, 512, 2048, 8, 0.1),
    "big": (6, 1024, 4096, 16, 0.3),
}


class Vocabulary:
    """The part of a task that a model needs."""

    def __init__(self, size=24, target_size=None):
        self.source_dictionary = dictionary(size)
        self.target_dictionary = dictionary(target_size) if target_size else self.source_dictionary


def dictionary(size):
    made = Dictionary()
    for number in range(size - len(made)):
        made.add_symbol(f"s{number}")
    return made


def build(arch="contextualized_transformer", vocabulary=None, seed=1, device="cpu", **options):
    """Builds a model as fairseq-train does after it has read the command line."""
    torch.manual_seed(seed)
    with on(device):
        return models.build_model(
            argparse.Namespace(arch=arch, **options), vocabulary or Vocabulary()
        )


def on(device):
    """Creates tensors on this device; "meta" holds no numbers and so takes no time."""
    if torch.__version__.startswith("1."):
        return contextlib.nullcontext()  # torch 1 creates them on the CPU, which is only slower
    return torch.device(device)


def small(context="gru", **options):
    """A model of 32 dimensions; ``context`` may also be gru_transformer."""
    if context == "gru_transformer":
        return build(context, **{**SMALL, **options})
    return build(embedding_context=context, **{**SMALL, **options})


class ExampleEncoder(TransformerEncoderBase):
    """The oracle of gru_transformer, which shows the effect of unmasked padding.

    Fairseq's example with the signature that Fairseq requires today: scale, positions, dropout,
    torch's own bidirectional GRU over everything, layer norm if there is one, dropout.
    """

    def __init__(self, cfg, dictionary, embed_tokens):
        super().__init__(cfg, dictionary, embed_tokens)
        size = embed_tokens.embedding_dim
        self.emb_ctx = torch.nn.GRU(size, size // 2, num_layers=1, bidirectional=True)

    def forward_embedding(self, src_tokens, token_embedding=None):
        vectors = self.embed_tokens(src_tokens) if token_embedding is None else token_embedding
        scaled = vectors * self.embed_scale
        positioned = scaled + self.embed_positions(src_tokens)
        states, _ = self.emb_ctx(self.dropout_module(positioned).transpose(0, 1))
        states = states.transpose(0, 1)
        if self.layernorm_embedding is not None:
            states = self.layernorm_embedding(states)
        return self.dropout_module(states), scaled


class ExampleModel(TransformerModel):
    @classmethod
    def build_encoder(cls, args, src_dict, embed_tokens):
        return ExampleEncoder(TransformerConfig.from_namespace(args), src_dict, embed_tokens)


def example(vocabulary=None, seed=1, **options):
    """Builds Fairseq's example, fixed."""
    torch.manual_seed(seed)
    args = argparse.Namespace(**{**SMALL, **options})
    return ExampleModel.build_model(args, vocabulary or Vocabulary())


def sentences(count, seed=1, longest=12, size=24):
    """Random sentences with the end symbol; the first is an empty line, which is that symbol alone."""
    draw = random.Random(seed)
    lengths = [0] + [draw.randint(1, longest) for _ in range(count - 1)]
    return [
        torch.tensor([draw.randrange(FIRST, size) for _ in range(length)] + [EOS])
        for length in lengths
    ]


def batch(rows, left=True, extra=0):
    """Pads sentences to one length, ``extra`` beyond the longest."""
    width = max(len(row) for row in rows) + extra
    padded = torch.full((len(rows), width), PAD)
    for place, row in zip(padded, rows):
        start = width - len(row) if left else 0
        place[start : start + len(row)] = row
    return padded


def encode(model, tokens):
    """Encoder output at the tokens, sentence by sentence: a list of ``(length, dim)``."""
    with torch.no_grad():
        out = model.encoder(tokens)["encoder_out"][0].transpose(0, 1)
    return [states[row != PAD] for states, row in zip(out, tokens)]


def collated(rows, left=True):
    """A batch as passed to the generator and the criteria; the target is the source."""
    tokens = batch(rows, left)
    lengths = torch.tensor([len(row) for row in rows])
    target = batch(rows, left=False)
    previous = torch.full_like(target, PAD)
    previous[:, 1:] = target[:, :-1]
    previous[:, 0] = EOS
    previous[target == PAD] = PAD
    return {
        "net_input": {
            "src_tokens": tokens,
            "src_lengths": lengths,
            "prev_output_tokens": previous,
        },
        "target": target,
        "ntokens": int(lengths.sum()),
    }


def train_to_reverse(model, updates=60, seed=3):
    """Trains a few updates on a task that needs the whole source: reversing it."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    model.train()
    for step in range(updates):
        rows = sentences(48, seed=seed * 1000 + step, longest=8)
        sample = collated([torch.cat([row[:-1].flip(0), row[-1:]]) for row in rows])
        sample["net_input"]["src_tokens"] = batch(rows)
        logits, _ = model(**sample["net_input"])
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), sample["target"].flatten(), ignore_index=PAD
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def translate(members, rows, left=True, beam=4, vocabulary=None):
    """The best hypothesis of each sentence, as lists of symbols."""
    members = members if isinstance(members, list) else [members]
    generator = SequenceGenerator(
        members,
        (vocabulary or Vocabulary()).target_dictionary,
        beam_size=beam,
        max_len_a=0,
        max_len_b=16,
    )
    hypotheses = generator.generate(members, collated(rows, left))
    return [best[0]["tokens"].tolist() for best in hypotheses]


def count(model):
    """Parameters, without the second copy of every encoder layer that Fairseq 0.12.2 keeps."""
    copies = ("in_proj_", "out_proj_", "fc1_", "fc2_")
    return sum(
        parameter.numel()
        for name, parameter in model.named_parameters()
        if not name.split(".")[-1].startswith(copies)
    )


def sizes(args):
    return tuple(
        (
            getattr(args, f"{side}_layers"),
            getattr(args, f"{side}_embed_dim"),
            getattr(args, f"{side}_ffn_embed_dim"),
            getattr(args, f"{side}_attention_heads"),
            args.dropout,
        )
        for side in ("encoder", "decoder")
    )


def compose(configs, name, *overrides):
    """Does what fairseq-hydra-train does with a configuration, up to the model."""
    from fairseq.dataclass.initialize import add_defaults, hydra_init
    from hydra.core.global_hydra import GlobalHydra

    try:
        from hydra import compose as hydra_compose
        from hydra import initialize_config_dir
    except ImportError:  # Hydra 1.0
        from hydra.experimental import compose as hydra_compose
        from hydra.experimental import initialize_config_dir

    hydra_init(name)
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(configs)):
        cfg = hydra_compose(
            name, overrides=["common.user_dir=/plugin", "task.data=/data", *overrides]
        )
    add_defaults(cfg)
    cfg = OmegaConf.create(OmegaConf.to_container(cfg, resolve=True, enum_to_str=True))
    OmegaConf.set_struct(cfg, True)
    return cfg


def build_composed(cfg, symbols=260):
    with on("meta"):
        return models.build_model(cfg.model, Vocabulary(symbols))
