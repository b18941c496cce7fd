"""The models that register as ``--arch``.

Here live the registered models with their encoders and presets, and nothing else, since Fairseq imports every
file of this folder; modules that work without Fairseq are in ``modules``. Models derive from Fairseq's
Transformer and its presets, and copy neither. Read ``contextualized_transformer`` first; ``gru_transformer``
derives from it.
"""

NAMES = (
    "contextualized_transformer",
    "contextualized_transformer_tiny",
    "contextualized_transformer_flores",
    "contextualized_transformer_base",
    "contextualized_transformer_big",
    "gru_transformer",
    "gru_transformer_big",
)
