"""The segmentations that Sennrich, Haddow & Birch 2016 compare BPE with (section 3 and Table 1).

Each is a codec and is listed in :data:`.codecs.registry.BASELINES`; libraries that only one of them needs
are imported when it is used, and nothing here knows Fairseq. Reading order: :mod:`.word_codec`, the base
class; the segmentations :mod:`.words`, :mod:`.char_ngrams`, :mod:`.compounds`, :mod:`.hyphenation` and
:mod:`.morfs`; then what the word baseline needs for its back-off dictionary, :mod:`.alignment` and
:mod:`.back_off`.
"""
