"""The segmentations that Sennrich, Haddow & Birch 2016 compare BPE with, section 3 and Table 1.

:data:`.codecs.registry.BASELINES` lists them.
"""
