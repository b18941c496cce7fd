"""The encoder and the decoder step of a Transformer, as torch modules that can be exported.

Fairseq's own encoder branches on the data (``if has_pads``) and its decoder keeps its state in
dictionaries, so neither can be traced. These modules reuse a trained model's weights and compute the
same results with plain tensor operations, for any batch size and length.

Sizes: S sentences, B hypotheses per sentence, L source length, T target symbols so far,
V dictionary size, H attention heads, D head size.
"""

import copy
from typing import List, Tuple

import torch
from torch import Tensor, nn

from fairseq_subword_ext.checkpoints.exporting_layers import (
    DecoderLayer,
    EncoderLayer,
    SourcePositions,
    SourceProjection,
    position_table,
)


class EncoderGraph(nn.Module):
    """Encodes sources into the keys and values that the decoder attends to.

    Args:
        encoder: a Fairseq encoder; its ``forward_embedding`` applies the embedding context.
        decoder: the same model's decoder; its layers project the encoder's output.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module):
        super().__init__()
        self.encoder = copy.deepcopy(encoder)
        if encoder.embed_positions is not None:
            self.encoder.embed_positions = SourcePositions(
                position_table(encoder.embed_positions, encoder.max_positions()),
                encoder.padding_idx,
            )
        self.layers = nn.ModuleList(EncoderLayer(layer) for layer in encoder.layers)
        self.encoder.layers = nn.ModuleList()
        self.sources = nn.ModuleList(
            SourceProjection(layer.encoder_attn) for layer in decoder.layers
        )

    def forward(self, tokens: Tensor) -> Tuple[Tensor, List[Tensor]]:
        """Encodes a batch.

        Args:
            tokens: ``(S, L)``, each row ends in ``</s>``, then padding.

        Returns:
            The attention mask ``(S, 1, 1, L)``, zero at tokens and minus infinity at padding; and for
            each decoder layer the keys ``(S, H, D, L)`` and the values ``(S, H, L, D)``.
        """
        padding = tokens.eq(self.encoder.padding_idx)
        mask = torch.zeros_like(tokens, dtype=torch.float32)
        mask = mask.masked_fill(padding, float("-inf")).unsqueeze(1).unsqueeze(1)
        x, _ = self.encoder.forward_embedding(tokens)
        for layer in self.layers:
            x = layer(x, mask)
        if self.encoder.layer_norm is not None:
            x = self.encoder.layer_norm(x)
        return mask, [tensor for source in self.sources for tensor in source(x)]


class DecoderGraph(nn.Module):
    """One step of beam search: takes the last symbols, gives the best continuations.

    Args:
        decoder: a Fairseq decoder.
        eos: the id of ``</s>``.
    """

    def __init__(self, decoder: nn.Module, eos: int):
        super().__init__()
        self.eos = eos
        self.embed_scale = decoder.embed_scale
        self.embed_tokens = decoder.embed_tokens
        self.project_in_dim = decoder.project_in_dim
        table = None
        if decoder.embed_positions is not None:
            table = position_table(decoder.embed_positions, decoder.max_positions())
            table = table[decoder.padding_idx + 1 :]
        self.register_buffer("positions", table)
        self.layernorm_embedding = decoder.layernorm_embedding
        self.layers = nn.ModuleList(DecoderLayer(layer) for layer in decoder.layers)
        self.layer_norm = decoder.layer_norm
        self.project_out_dim = decoder.project_out_dim
        self.output_projection = decoder.output_projection

    def forward(
        self,
        tokens: Tensor,
        position: Tensor,
        parents: Tensor,
        scores: Tensor,
        bias: Tensor,
        at_limit: Tensor,
        mask: Tensor,
        sources: List[Tensor],
        past: List[Tensor],
    ) -> Tuple[Tensor, Tensor, List[Tensor]]:
        """Continues all hypotheses by one symbol.

        Args:
            tokens: ``(S, B)``, the last symbol of each hypothesis.
            position: ``(1,)``, number of symbols before it.
            parents: ``(S * B,)``, the row of ``past`` that each hypothesis continues.
            scores: ``(S, B)``, the log-probability of each hypothesis.
            bias: ``(V,)``, added to the log-probability of each next symbol.
            at_limit: ``(S,)``, true for sentences that must end now.
            mask, sources: the encoder's outputs.
            past: keys and values of each layer, each ``(rows, H, T, D)``.

        Returns:
            The log-probabilities of each sentence's 2 * B best continuations, and their indices
            (hypothesis * V + symbol), both ``(S, 2 * B)``; and ``past`` extended by this step,
            ``(S * B, H, T + 1, D)``.
        """
        sentences, beam = tokens.shape
        x = self.embed_scale * self.embed_tokens(tokens.reshape(-1))
        if self.project_in_dim is not None:
            x = self.project_in_dim(x)
        if self.positions is not None:
            x = x + self.positions.index_select(0, position)
        if self.layernorm_embedding is not None:
            x = self.layernorm_embedding(x)
        present: List[Tensor] = []
        for i, layer in enumerate(self.layers):
            pair = slice(2 * i, 2 * i + 2)
            x, state = layer(x, beam, parents, mask, sources[pair], past[pair])
            present += state
        if self.layer_norm is not None:
            x = self.layer_norm(x)
        if self.project_out_dim is not None:
            x = self.project_out_dim(x)
        lprobs = torch.log_softmax(self.output_projection(x), dim=-1) + bias
        lprobs = lprobs.view(sentences, beam, -1)
        others = torch.arange(lprobs.size(2)).ne(self.eos)
        forbidden = at_limit.view(-1, 1, 1) & others
        lprobs = lprobs.masked_fill(forbidden, float("-inf")) + scores.unsqueeze(2)
        best, numbers = torch.topk(lprobs.flatten(1), 2 * beam)
        return best, numbers, present
