"""The models that register as ``--arch``. Fairseq imports every file of this folder."""

NAMES = (
    "contextualized_transformer",
    "contextualized_transformer_tiny",
    "contextualized_transformer_flores",
    "contextualized_transformer_base",
    "contextualized_transformer_big",
    "gru_transformer",
    "gru_transformer_big",
)
