"""The models that register as ``--arch``. Fairseq imports every file of this folder."""

NAMES = ()
