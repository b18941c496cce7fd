"""The segmentations that Sennrich, Haddow & Birch 2016 compare BPE with, section 3 and Table 1."""

# How segment-baseline, restore and the tables of the papers call them.
NAMES = ("word", "characters", "char-ngrams", "compounds", "morfessor", "hyphenation")
