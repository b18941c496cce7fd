"""Contextualizes token embeddings with a depth-wise convolution."""

import torch.nn.functional as F
from torch import Tensor, nn


class ConvContext(nn.Conv1d):
    """A depth-wise convolution over embeddings that no padding can reach (Wang, Cho & Gu 2020, 3.2).

    Each dimension has its own filter over ``kernel_size`` neighbouring tokens; sentences keep their
    lengths, and what lies beyond either end counts as zero. Parameters have the names and shapes of
    ``torch.nn.Conv1d(dim, dim, kernel_size, padding=kernel_size // 2, groups=dim)``.

    Args:
        dim: size of the embeddings.
        kernel_size: tokens that a filter sees, odd; the paper has 5, which means padding 2.

    Raises:
        ValueError: If ``kernel_size`` is even, less than 1 or not a whole number.
    """

    def __init__(self, dim: int, kernel_size: int = 5):
        if not isinstance(kernel_size, int) or kernel_size < 1 or kernel_size % 2 == 0:
            raise ValueError(
                "the kernel size must be a whole number, odd and at least 1, so that a filter is "
                f"centred on its token, found {kernel_size!r}"
            )
        super().__init__(dim, dim, kernel_size, padding=kernel_size // 2, groups=dim)

    def forward(self, x: Tensor, padding_mask: Tensor) -> Tensor:
        """Contextualizes a batch.

        Args:
            x: embeddings, ``(batch, length, dim)``; what lies at padded positions is ignored.
            padding_mask: ``(batch, length)``, true at padding, on either side or both.

        Returns:
            ``(batch, length, dim)``, zero at padding.
        """
        padding = padding_mask.unsqueeze(2)
        x = x.masked_fill(padding, 0.0).transpose(1, 2)
        x = F.conv1d(x, self.weight, self.bias, padding=self.padding, groups=self.groups)
        return x.transpose(1, 2).masked_fill(padding, 0.0)
