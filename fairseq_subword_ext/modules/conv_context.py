"""Contextualizes token embeddings with a depth-wise convolution."""

import torch.nn.functional as F
from torch import Tensor, nn


class ConvContext(nn.Conv1d):
    """A depth-wise convolution over embeddings, unaffected by padding (Wang, Cho & Gu 2020, section 3.2).

    Each dimension has its own filter over ``kernel_size`` neighboring tokens; sentences keep their
    lengths, and positions beyond either end count as zero. Parameters have the names and shapes of
    ``torch.nn.Conv1d(dim, dim, kernel_size, padding=kernel_size // 2, groups=dim)``.

    Args:
        dim: size of the embeddings.
        kernel_size: filter width in tokens, odd; the paper uses 5, that is padding 2.

    Raises:
        ValueError: If ``kernel_size`` is even, less than 1 or not an integer.
    """

    def __init__(self, dim: int, kernel_size: int = 5):
        if not isinstance(kernel_size, int) or kernel_size < 1 or kernel_size % 2 == 0:
            raise ValueError(
                "the kernel size must be an odd integer of at least 1, so that filters are centered: "
                f"found {kernel_size!r}"
            )
        super().__init__(dim, dim, kernel_size, padding=kernel_size // 2, groups=dim)

    def forward(self, x: Tensor, padding_mask: Tensor) -> Tensor:
        """Contextualizes a batch.

        Args:
            x: embeddings, ``(batch, length, dim)``; values at padded positions are ignored.
            padding_mask: ``(batch, length)``, true at padding, which may be on either side or both.

        Returns:
            ``(batch, length, dim)``, zero at padding.
        """
        padding = padding_mask.unsqueeze(2)
        x = x.masked_fill(padding, 0.0).transpose(1, 2)
        x = F.conv1d(x, self.weight, self.bias, padding=self.padding, groups=self.groups)
        return x.transpose(1, 2).masked_fill(padding, 0.0)
