"""Parts of models: plain torch modules, usable outside Fairseq.

Here live the layers that contextualize token embeddings; nothing here may import Fairseq. Each takes
embeddings ``(batch, length, dim)`` with a padding mask and returns the same shape, and padding never affects
the result. In reading order: ``conv_context``, ``gru_context``, and ``embedding_context``, which selects one
by name.
"""
