"""The tasks that register as ``--task``. Fairseq imports every file of this folder."""

NAMES = ("multilingual_x_en", "transfer_x_en")
