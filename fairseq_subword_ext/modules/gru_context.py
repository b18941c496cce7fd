"""Contextualizes token embeddings with a one-layer bidirectional GRU."""

import math
from typing import List

import torch
from torch import Tensor, nn

DIRECTIONS = ("", "_reverse")
WEIGHTS = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")


class GRUContext(nn.Module):
    """A one-layer Bi-GRU over embeddings that no padding can reach (Wang, Cho & Gu 2020, section 3.2).

    The two directions share the output: each gives half of the dimensions. Parameters have the names
    and shapes of ``torch.nn.GRU(dim, dim // 2, bidirectional=True)``, so either loads the other's
    ``state_dict``.

    Instead of packing the batch, each direction reads its sentences aligned to the left, the backward
    one reversed by length. Padding then only trails, a state that has passed the last token is never
    looked at, and the whole batch goes through one dense call a direction.

    Args:
        dim: size of the embeddings, even.

    Raises:
        ValueError: If ``dim`` is odd or less than 2.
    """

    def __init__(self, dim: int):
        super().__init__()
        if dim < 2 or dim % 2:
            raise ValueError(
                "the embedding dimension is divided between the GRU's two directions, "
                f"so it must be even and at least 2, found {dim}"
            )
        self.dim = dim
        self.hidden = dim // 2
        shapes = (
            (3 * self.hidden, dim),
            (3 * self.hidden, self.hidden),
            (3 * self.hidden,),
            (3 * self.hidden,),
        )
        for direction in DIRECTIONS:
            for name, shape in zip(WEIGHTS, shapes):
                self.register_parameter(name + direction, nn.Parameter(torch.empty(shape)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws every weight from U(-1/sqrt(hidden), 1/sqrt(hidden)), as torch.nn.GRU does."""
        bound = 1.0 / math.sqrt(self.hidden)
        for weight in self.parameters():
            nn.init.uniform_(weight, -bound, bound)

    def forward(self, x: Tensor, padding_mask: Tensor) -> Tensor:
        """Contextualizes a batch.

        Args:
            x: embeddings, ``(batch, length, dim)``; what lies at padded positions is ignored.
            padding_mask: ``(batch, length)``, true at padding, on either side or both.

        Returns:
            ``(batch, length, dim)``: forward and backward states side by side, zero at padding.
        """
        token = ~padding_mask
        lengths = token.sum(dim=1, keepdim=True)
        # Where each position goes: tokens first, in reading order, then padding.
        place = torch.where(
            token, token.cumsum(dim=1) - 1, lengths + padding_mask.cumsum(dim=1) - 1
        )
        place_reversed = torch.where(token, lengths - 1 - place, place)

        forward_weights = [
            self.weight_ih_l0,
            self.weight_hh_l0,
            self.bias_ih_l0,
            self.bias_hh_l0,
        ]
        backward_weights = [
            self.weight_ih_l0_reverse,
            self.weight_hh_l0_reverse,
            self.bias_ih_l0_reverse,
            self.bias_hh_l0_reverse,
        ]
        states = torch.cat(
            [
                self._read(x, place, forward_weights),
                self._read(x, place_reversed, backward_weights),
            ],
            dim=2,
        )
        return states.masked_fill(padding_mask.unsqueeze(2), 0.0)

    def _read(self, x: Tensor, place: Tensor, weights: List[Tensor]) -> Tensor:
        """Runs one direction.

        Args:
            x: ``(batch, length, dim)``.
            place: ``(batch, length)``, a permutation of the positions of each row: the step at which
                the GRU reads this position.
            weights: input-hidden, hidden-hidden and the two biases.

        Returns:
            ``(batch, length, hidden)``, the states in the order of ``x``.
        """
        batch, length, dim = x.shape
        rows = torch.arange(batch, device=x.device).unsqueeze(1)
        # Position of (row, column) in the time-major matrix that the GRU reads, and its inverse.
        step_major = (place * batch + rows).view(-1)
        source = torch.empty_like(step_major)
        source[step_major] = torch.arange(batch * length, device=x.device)

        steps = x.reshape(batch * length, dim).index_select(0, source).view(length, batch, dim)
        start = x.new_zeros(1, batch, self.hidden)
        # cuDNN keeps what the backward pass needs in "training" only; there is no dropout inside.
        states, _ = torch.gru(
            steps, start, weights, True, 1, 0.0, torch.is_grad_enabled(), False, False
        )
        states = states.reshape(batch * length, self.hidden).index_select(0, step_major)
        return states.view(batch, length, self.hidden)

    def _apply(self, fn, *args, **kwargs):
        module = super()._apply(fn, *args, **kwargs)
        self.flatten_parameters()
        return module

    def flatten_parameters(self) -> None:
        """Moves each direction's weights into one chunk of memory on a GPU, which cuDNN asks for.

        The chunks are one a direction since each direction is a call of its own. On the CPU,
        torch.nn.GRU leaves its weights where they are, and so does this.
        """
        for direction in DIRECTIONS:
            weights = nn.GRU(self.dim, self.hidden, device="meta")
            for name in WEIGHTS:
                setattr(weights, name, getattr(self, name + direction))
            weights.flatten_parameters()

    def extra_repr(self) -> str:
        return f"{self.dim}, hidden={self.hidden}"
