"""The encodings: how a line of text becomes symbols for Fairseq, and text again.

Neither Fairseq nor torch is imported here: :mod:`fairseq_subword_ext.encoders` registers the codecs with
Fairseq, and the algorithms are in :mod:`fairseq_subword_ext.subword`. Reading order: :mod:`.notation`
defines what segmented text looks like, :mod:`.codec` what an encoding is, :mod:`.registry` lists them;
then one module per encoding (:mod:`.bpe`, :mod:`.bbpe`, :mod:`.byte_level`, :mod:`.char_level`), the
notations they share (:mod:`.pieces`, :mod:`.byte_notation`, :mod:`.plain_text`), Fairseq's own forms
(:mod:`.fairseq_forms`), the detection of a text's encoding (:mod:`.recognition`), and dictionary indices
instead of text: :mod:`.encoded_text`, :mod:`.growing_ids` and :mod:`.binarizing`.
"""
