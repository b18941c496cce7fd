"""The encoders that register as ``--bpe``: every encoding of the registry, wrapped for Fairseq."""

NAMES = ("generalized_bpe", "bbpe", "byte_level", "char_level")
