"""A Transformer with contextualized source embeddings (Wang, Cho & Gu 2020)."""

import argparse
import difflib
import functools
from dataclasses import dataclass, field, fields
from typing import Any, Dict, Optional, Set

from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.dataclass.utils import gen_parser_from_dataclass
from fairseq.models import register_model, register_model_architecture
from fairseq.models.transformer import (
    TransformerConfig,
    TransformerEncoderBase,
    TransformerModel,
    base_architecture,
    transformer_vaswani_wmt_en_de_big,
)
from omegaconf import DictConfig, OmegaConf
from torch import Tensor

from fairseq_subword_ext.modules.embedding_context import (
    EMBEDDING_CONTEXTS,
    build_embedding_context,
)

# Fairseq's 1,024 positions hold only 341 letters of most scripts as bytes; the tasks here use the same value.
POSITIONS = 2048


@dataclass
class EmbeddingContextConfig(FairseqDataclass):
    """The options that this model adds to those of Fairseq's Transformer."""

    embedding_context: ChoiceEnum(EMBEDDING_CONTEXTS) = field(
        default="gru",
        metadata={"help": "layer that contextualizes the source embeddings before the encoder"},
    )
    embedding_context_kernel_size: int = field(
        default=5,
        metadata={"help": "filter width of --embedding-context conv in tokens, an odd number"},
    )


class ContextualizedTransformerEncoder(TransformerEncoderBase):
    """Fairseq's encoder over contextualized embeddings.

    As in the paper, tokens are embedded (and scaled) and contextualized before positions are added. Dropout
    comes after the positions, as without a context.

    Raises:
        ValueError: If the sizes do not fit the context or the attention.
    """

    def __init__(self, cfg, dictionary, embed_tokens, return_fc=False):
        # Built before the layers: its message about an odd dimension is clearer than theirs.
        emb_ctx = build_embedding_context(
            cfg.embedding_context, embed_tokens.embedding_dim, cfg.embedding_context_kernel_size
        )
        check_heads(cfg)
        super().__init__(cfg, dictionary, embed_tokens, return_fc=return_fc)
        self.emb_ctx = emb_ctx
        for layer in self.layers:
            # The fast path of Fairseq 0.12.2 fails on left-padded batches ("Mask Type should be
            # defined", torch 1.13 and newer); later versions have none.
            if hasattr(layer, "can_use_fastpath"):
                layer.can_use_fastpath = False

    def forward_embedding(self, src_tokens, token_embedding: Optional[Tensor] = None):
        """Embeds, contextualizes and adds positions.

        Args:
            src_tokens: ``(batch, length)``.
            token_embedding: ``(batch, length, dim)``, used instead of embedding ``src_tokens``.

        Returns:
            The encoder's input, and the scaled embeddings before the context, both
            ``(batch, length, dim)``.
        """
        if token_embedding is None:
            token_embedding = self.embed_tokens(src_tokens)
        x = embed = self.embed_scale * token_embedding
        if self.emb_ctx is not None:
            x = self.emb_ctx(x, src_tokens.eq(self.padding_idx))
        if self.embed_positions is not None:
            x = x + self.embed_positions(src_tokens)
        if self.layernorm_embedding is not None:
            x = self.layernorm_embedding(x)
        x = self.dropout_module(x)
        if self.quant_noise is not None:
            x = self.quant_noise(x)
        return x, embed


@register_model("contextualized_transformer")
class ContextualizedTransformerModel(TransformerModel):
    """Fairseq's Transformer with a context layer between the source embeddings and the encoder.

    All options of ``--arch transformer`` work, and the decoder is Fairseq's own.
    """

    config_class = EmbeddingContextConfig
    encoder_class = ContextualizedTransformerEncoder

    @classmethod
    def hub_models(cls):
        """None: Fairseq's list has plain Transformers only."""
        return {}

    @classmethod
    def add_args(cls, parser):
        """Adds Fairseq's options and those of ``config_class``, without defaults, which presets set."""
        super().add_args(parser)
        gen_parser_from_dataclass(parser, cls.config_class(), delete_default=True, with_prefix="")

    @classmethod
    def build_model(cls, args, task):
        """Builds the model from a Namespace (command line) or a configuration (Hydra).

        Raises:
            ValueError: If a key of the configuration is not an option, or the sizes do not fit.
        """
        if isinstance(args, DictConfig):
            check_keys(args, option_names(cls.config_class))
            args = argparse.Namespace(**OmegaConf.to_container(args, resolve=True))
        # Older checkpoints and configurations may lack newer options.
        set_defaults(args, **option_defaults(cls.config_class))
        return super().build_model(args, task)

    @classmethod
    def build_encoder(cls, args, src_dict, embed_tokens):
        return cls.encoder_class(TransformerConfig.from_namespace(args), src_dict, embed_tokens)


def option_defaults(config_class) -> Dict[str, Any]:
    """The defaults of the options that a model adds to Fairseq's."""
    options = (option for option in fields(config_class) if not option.name.startswith("_"))
    return {option.name: option.default for option in options}


def option_names(config_class) -> Set[str]:
    """The names that a flat configuration of this model may hold."""
    names = {"_name", "arch"}
    names.update(option.name for option in fields(config_class))
    for option in fields(TransformerConfig):
        if isinstance(option.type, type) and issubclass(option.type, FairseqDataclass):
            names.update(f"{option.name}_{part.name}" for part in fields(option.type))
        else:
            names.add(option.name)
    return names


def check_keys(cfg: DictConfig, known: Set[str]) -> None:
    """Refuses unknown keys, which Hydra accepts and ignores for a model without a dataclass.

    Raises:
        ValueError: If there is an unknown key; names the first and the closest known one.
    """
    for key in cfg:
        if key in known:
            continue
        near = difflib.get_close_matches(str(key), known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"model.{key} is not an option of {cfg.get('_name')}{hint}")


def check_heads(cfg) -> None:
    """Refuses sizes that do not fit the attention, before an assertion deep in Fairseq fails.

    Raises:
        ValueError: If the sizes do not fit; names the flags and their values.
    """
    for side in ("encoder", "decoder"):
        dim = getattr(cfg, side).embed_dim
        heads = getattr(cfg, side).attention_heads
        if dim < 1 or heads < 1 or dim % heads:
            raise ValueError(
                f"--{side}-embed-dim {dim} must be a multiple of --{side}-attention-heads {heads}"
            )


def set_defaults(args, **defaults) -> None:
    """Sets the options that neither the user nor a more specific preset has set."""
    for name, value in defaults.items():
        setattr(args, name, getattr(args, name, value))


def preset(model_name: str, arch_name: str):
    """Registers a preset function as ``--arch``, and as ``_name`` under Hydra.

    Configurations of OmegaConf before 2.1 (Fairseq 0.12.2) return None for missing options, which Fairseq's
    own functions would take as values; so presets fill a Namespace instead.
    """

    def register(fill):
        @register_model_architecture(model_name, arch_name)
        @functools.wraps(fill)
        def fill_any(args):
            if not isinstance(args, DictConfig):
                fill(args)
                return
            flat = argparse.Namespace(**args)
            fill(flat)
            set_defaults(flat, base_layers=0)  # read by the trainer
            for name, value in vars(flat).items():
                args[name] = value

        return fill

    return register


@preset("contextualized_transformer", "contextualized_transformer")
def contextualized_transformer(args):
    """The preset without a size in its name, which is the base one."""
    contextualized_transformer_base(args)


@preset("contextualized_transformer", "contextualized_transformer_tiny")
def contextualized_transformer_tiny(args):
    """A small size that trains in minutes on a CPU, for short texts, tests and first trials."""
    set_defaults(
        args,
        encoder_layers=2,
        encoder_embed_dim=128,
        encoder_ffn_embed_dim=512,
        encoder_attention_heads=4,
        decoder_layers=2,
        decoder_attention_heads=4,
    )
    contextualized_transformer_base(args)


@preset("contextualized_transformer", "contextualized_transformer_flores")
def contextualized_transformer_flores(args):
    """T_flores of the paper's Table 2."""
    set_defaults(
        args,
        encoder_layers=5,
        encoder_attention_heads=2,
        decoder_layers=5,
        decoder_attention_heads=2,
        dropout=0.4,
    )
    contextualized_transformer_base(args)


@preset("contextualized_transformer", "contextualized_transformer_base")
def contextualized_transformer_base(args):
    """T_base of the paper's Table 2."""
    set_context_defaults(args)
    base_architecture(args)


@preset("contextualized_transformer", "contextualized_transformer_big")
def contextualized_transformer_big(args):
    """T_big of the paper's Table 2."""
    set_context_defaults(args)
    transformer_vaswani_wmt_en_de_big(args)


def set_context_defaults(args) -> None:
    """Sets the defaults that all presets share and that differ from Fairseq's."""
    set_defaults(args, attention_dropout=0.1, activation_dropout=0.1)
    set_defaults(args, max_source_positions=POSITIONS, max_target_positions=POSITIONS)
    set_defaults(args, **option_defaults(EmbeddingContextConfig))
