"""The encoders that register as ``--bpe``: every encoding of the registry, wrapped for Fairseq.

Here live Fairseq's interface to a codec and the checks of its options; segmentation itself is in ``codecs``
and ``subword``. A new encoding needs no code here. Read ``codec_encoder`` first, then ``options``.
"""

NAMES = ("generalized_bpe", "bbpe", "byte_level", "char_level")
