"""The models of Fairseq's examples/byte_level_bpe, for its command lines and checkpoints."""

from dataclasses import dataclass
from typing import Optional

from fairseq.dataclass import FairseqDataclass
from fairseq.models import register_model
from fairseq.models.transformer import base_architecture, transformer_vaswani_wmt_en_de_big
from torch import Tensor

from fairseq_subword_ext.models.contextualized_transformer import (
    ContextualizedTransformerEncoder,
    ContextualizedTransformerModel,
    preset,
)


@dataclass
class NoFurtherOptions(FairseqDataclass):
    """The example has only the options of Fairseq's Transformer."""


class GRUTransformerEncoder(ContextualizedTransformerEncoder):
    """An encoder that adds positions before the Bi-GRU, with dropout on both sides of it.

    The result equals the example's for a sentence without padding. Here padding has no effect, whereas the
    example feeds it to the GRU.
    """

    def __init__(self, cfg, dictionary, embed_tokens, return_fc=False):
        cfg.embedding_context = "gru"
        cfg.embedding_context_kernel_size = None
        super().__init__(cfg, dictionary, embed_tokens, return_fc=return_fc)

    def forward_embedding(self, src_tokens, token_embedding: Optional[Tensor] = None):
        """Embeds, adds positions and contextualizes.

        Args:
            src_tokens: ``(batch, length)``.
            token_embedding: ``(batch, length, dim)``, used instead of embedding ``src_tokens``.

        Returns:
            The encoder's input, and the scaled embeddings before positions and context, both
            ``(batch, length, dim)``.
        """
        if token_embedding is None:
            token_embedding = self.embed_tokens(src_tokens)
        x = embed = self.embed_scale * token_embedding
        if self.embed_positions is not None:
            x = x + self.embed_positions(src_tokens)
        x = self.emb_ctx(self.dropout_module(x), src_tokens.eq(self.padding_idx))
        if self.layernorm_embedding is not None:
            x = self.layernorm_embedding(x)
        x = self.dropout_module(x)
        if self.quant_noise is not None:
            x = self.quant_noise(x)
        return x, embed


@register_model("gru_transformer")
class GRUTransformerModel(ContextualizedTransformerModel):
    """The example's model; new work should use ``contextualized_transformer``, which follows the paper."""

    config_class = NoFurtherOptions
    encoder_class = GRUTransformerEncoder


@preset("gru_transformer", "gru_transformer")
def gru_transformer(args):
    """The sizes of Fairseq's ``transformer``, without attention and activation dropout."""
    base_architecture(args)


@preset("gru_transformer", "gru_transformer_big")
def gru_transformer_big(args):
    """The sizes of Vaswani et al.'s big model."""
    transformer_vaswani_wmt_en_de_big(args)
