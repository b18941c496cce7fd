"""The layers of the exported graphs: Fairseq's Transformer layers in plain tensor operations.

Sizes are those of :mod:`.exporting_graphs`.
"""

import copy
from typing import List, Tuple

import torch
from torch import Tensor, nn


class EncoderLayer(nn.Module):
    """Fairseq's encoder layer on ``(S, L, dim)``."""

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.normalize_before = layer.normalize_before
        self.attention = SelfAttention(layer.self_attn)
        self.attention_norm = layer.self_attn_layer_norm
        self.feed_forward = FeedForward(layer)
        self.final_norm = layer.final_layer_norm

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        attended = self.attention_norm(x) if self.normalize_before else x
        x = x + self.attention(attended, mask)
        if not self.normalize_before:
            x = self.attention_norm(x)
        fed = self.final_norm(x) if self.normalize_before else x
        x = x + self.feed_forward(fed)
        return x if self.normalize_before else self.final_norm(x)


class DecoderLayer(nn.Module):
    """Fairseq's decoder layer for one symbol per hypothesis, on ``(S * B, dim)``."""

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.normalize_before = layer.normalize_before
        self.attention = CachedAttention(layer.self_attn)
        self.attention_norm = layer.self_attn_layer_norm
        self.source_attention = SourceAttention(layer.encoder_attn)
        self.source_norm = layer.encoder_attn_layer_norm
        self.feed_forward = FeedForward(layer)
        self.final_norm = layer.final_layer_norm

    def forward(
        self,
        x: Tensor,
        beam: int,
        parents: Tensor,
        mask: Tensor,
        source: List[Tensor],
        past: List[Tensor],
    ) -> Tuple[Tensor, List[Tensor]]:
        before = self.normalize_before
        attended, present = self.attention(self.attention_norm(x) if before else x, parents, past)
        x = x + attended
        x = x if before else self.attention_norm(x)
        x = x + self.source_attention(self.source_norm(x) if before else x, beam, mask, source)
        x = x if before else self.source_norm(x)
        x = x + self.feed_forward(self.final_norm(x) if before else x)
        return (x if before else self.final_norm(x)), present


class FeedForward(nn.Module):
    """The position-wise feed-forward part of a layer."""

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.activation = layer.activation_fn
        self.fc1, self.fc2 = layer.fc1, layer.fc2

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(self.activation(self.fc1(x)))


class SelfAttention(nn.Module):
    """Self-attention of the encoder."""

    def __init__(self, attention: nn.Module):
        super().__init__()
        self.heads = attention.num_heads
        self.projection = joined([scaled(attention), attention.k_proj, attention.v_proj])
        self.out = attention.out_proj

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        sentences, length, dim = x.shape
        parts = self.projection(x).view(sentences, length, 3, self.heads, dim // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        weights = torch.softmax(query @ key.transpose(2, 3) + mask, dim=-1)
        return self.out((weights @ value).transpose(1, 2).reshape(sentences, length, dim))


class SourceProjection(nn.Module):
    """Projects the encoder's output to the keys and values of one decoder layer."""

    def __init__(self, attention: nn.Module):
        super().__init__()
        self.heads = attention.num_heads
        self.projection = joined([attention.k_proj, attention.v_proj])

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        sentences, length, _ = x.shape
        parts = self.projection(x).view(sentences, length, 2, self.heads, -1)
        return parts[:, :, 0].permute(0, 2, 3, 1), parts[:, :, 1].permute(0, 2, 1, 3)


class SourceAttention(nn.Module):
    """Attention of the decoder to the source; all hypotheses of a sentence share keys and values."""

    def __init__(self, attention: nn.Module):
        super().__init__()
        self.heads = attention.num_heads
        self.query = scaled(attention)
        self.out = attention.out_proj

    def forward(self, x: Tensor, beam: int, mask: Tensor, source: List[Tensor]) -> Tensor:
        key, value = source
        rows, dim = x.shape
        query = self.query(x).view(-1, beam, self.heads, dim // self.heads).transpose(1, 2)
        weights = torch.softmax(query @ key + mask, dim=-1)
        return self.out((weights @ value).transpose(1, 2).reshape(rows, dim))


class CachedAttention(nn.Module):
    """Self-attention of the decoder, which caches the keys and values of each hypothesis."""

    def __init__(self, attention: nn.Module):
        super().__init__()
        self.heads = attention.num_heads
        self.projection = joined([scaled(attention), attention.k_proj, attention.v_proj])
        self.out = attention.out_proj

    def forward(
        self, x: Tensor, parents: Tensor, past: List[Tensor]
    ) -> Tuple[Tensor, List[Tensor]]:
        rows, dim = x.shape
        parts = self.projection(x).view(rows, 3, self.heads, 1, dim // self.heads)
        query, *new = parts.unbind(1)
        key, value = (
            torch.cat([kept.index_select(0, parents), added], dim=2)
            for kept, added in zip(past, new)
        )
        weights = torch.softmax(query @ key.transpose(2, 3), dim=-1)
        return self.out((weights @ value).reshape(rows, dim)), [key, value]


class SourcePositions(nn.Module):
    """Position embeddings of left- or right-padded sources, looked up in a table."""

    def __init__(self, table: Tensor, padding: int):
        super().__init__()
        self.register_buffer("table", table)
        self.padding = padding

    def forward(self, tokens: Tensor) -> Tensor:
        token = tokens.ne(self.padding).long()
        return self.table[token.cumsum(dim=1) * token + self.padding]


def position_table(embedding: nn.Module, positions: int) -> Tensor:
    """The vectors of all positions of a model, including padding's row.

    Args:
        embedding: Fairseq's learned or sinusoidal position embedding.
        positions: maximum sentence length.
    """
    if isinstance(embedding, nn.Embedding):
        return embedding.weight.detach()
    rows = embedding.padding_idx + 1 + positions
    return embedding.get_embedding(rows, embedding.embedding_dim, embedding.padding_idx)


def joined(layers: List[nn.Linear]) -> nn.Linear:
    """Merges linear layers that share an input into one, with their outputs concatenated."""
    weight = torch.cat([layer.weight.detach() for layer in layers])
    result = nn.Linear(weight.shape[1], weight.shape[0])
    result.weight.data = weight
    result.bias.data = torch.cat([layer.bias.detach() for layer in layers])
    return result


def scaled(attention: nn.Module) -> nn.Linear:
    """The query projection, with the scaling by 1 / sqrt(D) folded into its weights."""
    result = copy.deepcopy(attention.q_proj)
    result.weight.data = result.weight.data * attention.scaling
    result.bias.data = result.bias.data * attention.scaling
    return result
