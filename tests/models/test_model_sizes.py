"""Presets, Hydra configurations and parameter counts, against the paper's tables."""

import argparse
import difflib
from pathlib import Path

import pytest
from model_helpers import (
    SMALL,
    TABLE_2,
    Vocabulary,
    build,
    build_composed,
    compose,
    count,
    on,
    sizes,
)

torch = pytest.importorskip("torch")

from fairseq.models import ARCH_CONFIG_REGISTRY, build_model  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

CONFIGS = Path(__file__).resolve().parents[2] / "configs" / "contextualized_transformer"
PRESETS = ("tiny", "flores", "base", "big")

# Millions of parameters with shared embeddings, by dictionary size (special symbols included). They
# round to the paper's Tables 5 and 7.
MILLIONS = [
    ("base", 260, "gru", 45.45),
    ("base", 260, "none", 44.27),
    ("base", 2048, "gru", 46.37),
    ("base", 3400, "gru", 47.06),
    ("base", 4096, "gru", 47.42),
    ("base", 11000, "gru", 50.95),
    ("base", 16384, "gru", 53.71),
    ("base", 16384, "none", 52.53),
    ("base", 32768, "gru", 62.10),
    ("base", 32768, "none", 60.92),
    ("big", 260, "gru", 181.35),
    ("big", 2048, "gru", 183.18),
    ("big", 4096, "gru", 185.28),
    ("big", 32768, "gru", 214.64),
    ("big", 32768, "none", 209.91),
    ("flores", 260, "gru", 38.10),
    ("flores", 4096, "gru", 40.06),
]


def formula(layers, dim, ffn, symbols, context, kernel_size=5):
    """The same counts from the architecture's definition."""
    attention, norm = 4 * (dim * dim + dim), 2 * dim
    feed_forward = dim * ffn + ffn + ffn * dim + dim
    encoder = layers * (attention + feed_forward + 2 * norm)
    decoder = layers * (2 * attention + feed_forward + 3 * norm)
    half = dim // 2
    extra = {
        "none": 0,
        "conv": dim * kernel_size + dim,
        "gru": 2 * 3 * (half * dim + half * half + 2 * half),
    }
    return encoder + decoder + symbols * dim + extra[context]


@pytest.mark.parametrize("preset, symbols, context, millions", MILLIONS)
def test_parameter_counts_of_the_paper(preset, symbols, context, millions):
    model = build(
        f"contextualized_transformer_{preset}",
        Vocabulary(symbols),
        device="meta",
        share_all_embeddings=True,
        embedding_context=context,
    )
    layers, dim, ffn, _, _ = TABLE_2[preset]
    assert count(model) == formula(layers, dim, ffn, symbols, context)
    assert round(count(model) / 1e6, 2) == millions


@pytest.mark.parametrize("context", ["none", "conv", "gru"])
def test_parameter_counts_of_tiny(context):
    model = build(
        "contextualized_transformer_tiny",
        Vocabulary(1024),
        device="meta",
        share_all_embeddings=True,
        embedding_context=context,
    )
    assert count(model) == formula(2, 128, 512, 1024, context)


def test_separate_embeddings():
    # Source embeddings, target embeddings and the output layer each have a matrix.
    model = build(vocabulary=Vocabulary(30, 50), **SMALL)
    assert count(model) == formula(2, 32, 64, 30 + 50 + 50, "gru")


@pytest.mark.parametrize("big", [False, True])
def test_presets_of_the_example(big):
    name = "gru_transformer_big" if big else "gru_transformer"
    model = build(name, Vocabulary(260), device="meta", share_all_embeddings=True)
    layers, dim, ffn, heads, dropout = TABLE_2["big" if big else "base"]
    assert count(model) == formula(layers, dim, ffn, 260, "gru")
    cfg = model.cfg
    assert (cfg.encoder.attention_heads, cfg.dropout) == (heads, dropout)
    assert (cfg.attention_dropout, cfg.activation_dropout) == (0.0, 0.0)


def preset_options(name):
    args = argparse.Namespace()
    ARCH_CONFIG_REGISTRY[name](args)
    return args


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_those_of_table_2(preset):
    args = preset_options(f"contextualized_transformer_{preset}")
    assert sizes(args) == (TABLE_2[preset], TABLE_2[preset])
    assert (args.attention_dropout, args.activation_dropout) == (0.1, 0.1)
    assert (args.embedding_context, args.embedding_context_kernel_size) == ("gru", 5)
    # Bytes take three positions per letter in most scripts.
    assert (args.max_source_positions, args.max_target_positions) == (2048, 2048)


def command_line(*words):
    from fairseq import options

    parser = options.get_training_parser()
    return options.parse_args_and_arch(parser, ["data", *words])


def test_flags():
    args = command_line(
        *("--arch", "contextualized_transformer_big", "--embedding-context", "conv"),
        *("--embedding-context-kernel-size", "7", "--encoder-layers", "3"),
    )
    assert (args.embedding_context, args.embedding_context_kernel_size) == ("conv", 7)
    assert (args.encoder_layers, args.encoder_embed_dim, args.dropout) == (3, 1024, 0.3)
    args = command_line("--arch", "contextualized_transformer")
    assert (args.embedding_context, args.embedding_context_kernel_size) == ("gru", 5)


@pytest.mark.parametrize(
    "arch, flags",
    [
        ("contextualized_transformer", ["--embedding-context", "lstm"]),
        ("contextualized_transformer", ["--embeding-context", "gru"]),
        ("gru_transformer", ["--embedding-context", "conv"]),  # the example has no such flag
    ],
)
def test_flags_that_do_not_exist(arch, flags, capsys):
    with pytest.raises(SystemExit):
        command_line("--arch", arch, *flags)
    assert flags[0] in capsys.readouterr().err


def test_the_name_without_a_size_means_base():
    assert preset_options("contextualized_transformer") == preset_options(
        "contextualized_transformer_base"
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_options_of_the_user_win_over_a_preset(preset):
    args = argparse.Namespace(
        encoder_layers=3, dropout=0.25, attention_dropout=0.2, embedding_context="conv"
    )
    ARCH_CONFIG_REGISTRY[f"contextualized_transformer_{preset}"](args)
    assert (args.encoder_layers, args.dropout, args.attention_dropout) == (3, 0.25, 0.2)
    assert args.embedding_context == "conv"


@pytest.mark.parametrize("preset", PRESETS)
def test_hydra_configuration_builds_the_sizes_it_states(preset):
    cfg = compose(CONFIGS, preset)
    arch = preset_options(f"contextualized_transformer_{preset}")
    for key, value in cfg.model.items():
        if key not in ("_name", "share_all_embeddings"):
            assert value == getattr(arch, key), key
    assert sizes(cfg.model) == (TABLE_2[preset], TABLE_2[preset])
    model = build_composed(cfg)
    layers, dim, ffn, _, _ = TABLE_2[preset]
    assert count(model) == formula(layers, dim, ffn, 260, "gru")
    assert model.encoder.layers[0].self_attn.num_heads == TABLE_2[preset][3]
    assert model.encoder.dropout_module.p == TABLE_2[preset][4]


def test_hydra_overrides_reach_the_model():
    cfg = compose(
        CONFIGS, "base", "model.embedding_context=conv", "model.embedding_context_kernel_size=7"
    )
    model = build_composed(cfg)
    assert model.encoder.emb_ctx.kernel_size == (7,)
    assert count(model) == formula(6, 512, 2048, 260, "conv", kernel_size=7)


def test_hydra_preset_by_name_alone():
    cfg = OmegaConf.create({"_name": "contextualized_transformer_flores"})
    OmegaConf.set_struct(cfg, True)
    with on("meta"):
        model = build_model(cfg, Vocabulary(260))
    assert len(model.encoder.layers) == 5
    assert model.encoder.cfg.dropout == 0.4


@pytest.mark.parametrize(
    "key, hint",
    [
        ("embeding_context", "; did you mean embedding_context?"),
        ("encoder_layer", "; did you mean encoder_layers?"),
        ("encoder", "; did you mean"),  # nested, as in newer models: presets would win over it
        ("zzz", "$"),
    ],
)
def test_hydra_misspelt_key_is_refused(key, hint):
    value = {"layers": 2} if key == "encoder" else 2
    cfg = OmegaConf.create({"_name": "contextualized_transformer_tiny", key: value})
    with pytest.raises(
        ValueError, match=rf"model\.{key} is not an option of contextualized.*tiny{hint}"
    ):
        build_model(cfg, Vocabulary(260))


def test_the_example_has_no_option_for_the_context():
    cfg = OmegaConf.create({"_name": "gru_transformer", "embedding_context": "conv"})
    with pytest.raises(ValueError, match=r"model\.embedding_context is not an option of gru"):
        build_model(cfg, Vocabulary(260))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"encoder_embed_dim": 9, "encoder_attention_heads": 3}, "even and at least 2, not 9"),
        ({"encoder_embed_dim": 301, "encoder_attention_heads": 7}, "not 301"),
        ({"encoder_attention_heads": 5}, "--encoder-embed-dim 32 .* --encoder-attention-heads 5"),
        ({"decoder_embed_dim": 30, "decoder_attention_heads": 4}, "--decoder-embed-dim 30"),
        ({"encoder_attention_heads": 0}, "--encoder-attention-heads 0"),
        (
            {"embedding_context": "conv", "embedding_context_kernel_size": 0},
            "odd integer .* found 0",
        ),
        ({"embedding_context": "conv", "embedding_context_kernel_size": 4}, "odd .* found 4"),
        ({"embedding_context": "conv", "embedding_context_kernel_size": -3}, "odd .* found -3"),
        (
            {"embedding_context": "conv", "embedding_context_kernel_size": "5"},
            "odd integer.* found '5'",
        ),
        (
            {"embedding_context": "conv", "embedding_context_kernel_size": 5.0},
            "odd integer.* found 5.0",
        ),
        ({"embedding_context": "gruu"}, "must be one of none, conv, gru, not 'gruu'"),
        ({"embedding_context": None}, "must be one of none, conv, gru"),
    ],
)
def test_impossible_options_are_refused_in_one_line(options, message):
    with pytest.raises(ValueError, match=message) as caught:
        build(**{**SMALL, **options})
    assert "\n" not in str(caught.value)


def test_the_kernel_size_does_not_matter_without_a_convolution():
    build(**SMALL, embedding_context="gru", embedding_context_kernel_size=4)


def test_an_even_dimension_that_is_not_a_power_of_two():
    build(**{**SMALL, "encoder_embed_dim": 300, "encoder_attention_heads": 6})


def test_an_odd_dimension_is_fine_without_a_gru():
    for context in "none", "conv":
        build(
            **{**SMALL, "encoder_embed_dim": 9, "encoder_attention_heads": 3},
            decoder_embed_dim=32,
            embedding_context=context,
        )


def test_close_matches_come_from_the_options_themselves():
    from fairseq_subword_ext.models.contextualized_transformer import (
        EmbeddingContextConfig,
        option_names,
    )

    names = option_names(EmbeddingContextConfig)
    assert {"encoder_layers", "decoder_input_dim", "quant_noise_pq", "dropout"} <= names
    assert {"encoder", "decoder", "quant_noise", "layers"}.isdisjoint(names)
    assert set(vars(preset_options("contextualized_transformer_big"))) <= names
    assert difflib.get_close_matches("embeding_context", names, n=1) == ["embedding_context"]
