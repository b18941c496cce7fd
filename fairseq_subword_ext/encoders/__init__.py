"""The encoders that register as ``--bpe``; each wraps an algorithm of ``subword`` for Fairseq."""

NAMES = ("generalized_bpe", "bbpe", "byte_level", "char_level")
