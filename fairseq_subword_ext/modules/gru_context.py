"""Contextualizes token embeddings with a one-layer bidirectional GRU."""

import math
from typing import List

import torch
from torch import Tensor, nn

DIRECTIONS = ("", "_reverse")
WEIGHTS = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")


class GRUContext(nn.Module):
    """A one-layer Bi-GRU over embeddings, unaffected by padding (Wang, Cho & Gu 2020, section 3.2).

    Each direction gives half of the output dimensions. Parameters have the names and shapes of
    ``torch.nn.GRU(dim, dim // 2, bidirectional=True)``, so each can load the other's ``state_dict``.

    Instead of packing the batch, each direction reads its sentences aligned to the left, the backward
    direction in reverse. Padding is then always at the end, states after the last token are never used, and
    the whole batch takes one dense call per direction.

    Args:
        dim: size of the embeddings, even.

    Raises:
        ValueError: If ``dim`` is odd or less than 2.
    """

    def __init__(self, dim: int):
        super().__init__()
        if dim < 2 or dim % 2:
            raise ValueError(
                "the embedding dimension is divided between the two directions of the GRU, "
                f"so it must be even and at least 2, not {dim}"
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
            x: embeddings, ``(batch, length, dim)``; values at padded positions are ignored.
            padding_mask: ``(batch, length)``, true at padding, which may be on either side or both.

        Returns:
            ``(batch, length, dim)``: forward and backward states side by side, zero at padding.
        """
        token = ~padding_mask
        lengths = token.sum(dim=1, keepdim=True)
        # The step at which each position is read: tokens first, in order, then padding.
        step = torch.where(token, token.cumsum(dim=1) - 1, lengths + padding_mask.cumsum(dim=1) - 1)
        step_reversed = torch.where(token, lengths - 1 - step, step)

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
                self._read(x, step, forward_weights),
                self._read(x, step_reversed, backward_weights),
            ],
            dim=2,
        )
        return states.masked_fill(padding_mask.unsqueeze(2), 0.0)

    def _read(self, x: Tensor, step: Tensor, weights: List[Tensor]) -> Tensor:
        """Runs one direction.

        Args:
            x: ``(batch, length, dim)``.
            step: ``(batch, length)``, the step at which the GRU reads each position; a permutation in
                each row.
            weights: input-hidden, hidden-hidden and the two biases.

        Returns:
            ``(batch, length, hidden)``, the states in the order of ``x``.
        """
        batch, length, dim = x.shape
        rows = torch.arange(batch, device=x.device).unsqueeze(1)
        # The index of (row, column) in the time-major matrix that the GRU reads, and its inverse.
        time_major = (step * batch + rows).view(-1)
        source = torch.empty_like(time_major)
        source[time_major] = torch.arange(batch * length, device=x.device)

        steps = x.reshape(batch * length, dim).index_select(0, source).view(length, batch, dim)
        start = x.new_zeros(1, batch, self.hidden)
        # cuDNN saves what the backward pass needs only in training mode; there is no dropout inside.
        states, _ = torch.gru(
            steps, start, weights, True, 1, 0.0, torch.is_grad_enabled(), False, False
        )
        states = states.reshape(batch * length, self.hidden).index_select(0, time_major)
        return states.view(batch, length, self.hidden)

    def _apply(self, fn, *args, **kwargs):
        module = super()._apply(fn, *args, **kwargs)
        self.flatten_parameters()
        return module

    def flatten_parameters(self) -> None:
        """Moves the weights of each direction into one chunk of GPU memory, as cuDNN requires.

        There is one chunk per direction, since each direction is a separate call. On the CPU this does
        nothing, as in torch.nn.GRU.
        """
        for direction in DIRECTIONS:
            weights = nn.GRU(self.dim, self.hidden, device="meta")
            for name in WEIGHTS:
                setattr(weights, name, getattr(self, name + direction))
            weights.flatten_parameters()

    def extra_repr(self) -> str:
        return f"{self.dim}, hidden={self.hidden}"
