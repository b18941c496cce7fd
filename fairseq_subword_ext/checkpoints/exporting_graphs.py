"""The two computations of a Transformer that translation needs, as torch modules that can be exported.

Fairseq's own encoder branches on the data (``if has_pads``) and its decoder keeps its state in
dictionaries; neither can be traced. These modules take over a trained model's weights and compute the
same in plain tensor operations of any batch size and length.

Names of sizes: S sentences, B hypotheses per sentence, L source length, T target symbols so far,
V dictionary size, H attention heads, D size of a head.
"""

import copy
from typing import List, Tuple

import torch
from torch import Tensor, nn


class EncoderGraph(nn.Module):
    """Encodes sources, up to the keys and values that the decoder attends to.

    Args:
        encoder: a Fairseq encoder; its ``forward_embedding`` decides where the context comes in.
        decoder: of the same model; its layers project the encoder's output.
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
            tokens: ``(S, L)``, each row ending in ``</s>`` and then padded.

        Returns:
            The attention mask ``(S, 1, 1, L)``, zero at tokens and minus infinity at padding; and per
            decoder layer the keys ``(S, H, D, L)`` and the values ``(S, H, L, D)``.
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
    """One step of beam search: from the last symbols to the best continuations.

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
            position: ``(1,)``, the number of symbols before it.
            parents: ``(S * B,)``, the row of ``past`` that each hypothesis continues.
            scores: ``(S, B)``, the log-probability of each hypothesis.
            bias: ``(V,)``, added to the log-probability of each next symbol.
            at_limit: ``(S,)``, true for sentences that may only end.
            mask, sources: the encoder's outputs.
            past: per layer keys and values, each ``(rows, H, T, D)``.

        Returns:
            The log-probabilities of the 2 * B best continuations of each sentence and their numbers,
            hypothesis * V + symbol, both ``(S, 2 * B)``; and ``past`` with this step,
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
    """The position-wise part of a layer."""

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.activation = layer.activation_fn
        self.fc1, self.fc2 = layer.fc1, layer.fc2

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(self.activation(self.fc1(x)))


class SelfAttention(nn.Module):
    """Attention of the encoder."""

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
    """The keys and values of the encoder's output for one layer of the decoder."""

    def __init__(self, attention: nn.Module):
        super().__init__()
        self.heads = attention.num_heads
        self.projection = joined([attention.k_proj, attention.v_proj])

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        sentences, length, _ = x.shape
        parts = self.projection(x).view(sentences, length, 2, self.heads, -1)
        return parts[:, :, 0].permute(0, 2, 3, 1), parts[:, :, 1].permute(0, 2, 1, 3)


class SourceAttention(nn.Module):
    """Attention of the decoder to the source; a sentence's hypotheses share its keys and values."""

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
    """Attention of the decoder to the symbols of each hypothesis, whose keys and values are kept."""

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
    """The vectors of all positions that a model can have, padding's row among them.

    Args:
        embedding: learned or sinusoidal positions of Fairseq.
        positions: the longest sentence.
    """
    if isinstance(embedding, nn.Embedding):
        return embedding.weight.detach()
    rows = embedding.padding_idx + 1 + positions
    return embedding.get_embedding(rows, embedding.embedding_dim, embedding.padding_idx)


def joined(layers: List[nn.Linear]) -> nn.Linear:
    """Several linear layers of one input as a single one, their outputs side by side."""
    weight = torch.cat([layer.weight.detach() for layer in layers])
    result = nn.Linear(weight.shape[1], weight.shape[0])
    result.weight.data = weight
    result.bias.data = torch.cat([layer.bias.detach() for layer in layers])
    return result


def scaled(attention: nn.Module) -> nn.Linear:
    """The projection of queries, with the division by the square root of D in its weights."""
    result = copy.deepcopy(attention.q_proj)
    result.weight.data = result.weight.data * attention.scaling
    result.bias.data = result.bias.data * attention.scaling
    return result
