"""Builds an embedding context from the name that users type."""

from typing import Optional

from torch import nn

from fairseq_subword_ext.modules.conv_context import ConvContext
from fairseq_subword_ext.modules.gru_context import GRUContext

EMBEDDING_CONTEXTS = ("none", "conv", "gru")


def build_embedding_context(kind: str, dim: int, kernel_size: int = 5) -> Optional[nn.Module]:
    """Builds the module that contextualizes token embeddings.

    Args:
        kind: one of ``EMBEDDING_CONTEXTS``.
        dim: size of the embeddings.
        kernel_size: filter width of ``conv``, in tokens.

    Returns:
        A module called with embeddings ``(batch, length, dim)`` and a padding mask
        ``(batch, length)`` that is true at padding, or None for ``none``.

    Raises:
        ValueError: If ``kind`` is unknown, or the sizes do not fit it.
    """
    if kind == "none":
        return None
    if kind == "conv":
        return ConvContext(dim, kernel_size)
    if kind == "gru":
        return GRUContext(dim)
    raise ValueError(
        f"embedding context must be one of {', '.join(EMBEDDING_CONTEXTS)}, not {kind!r}"
    )
