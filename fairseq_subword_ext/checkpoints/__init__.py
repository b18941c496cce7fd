"""Fairseq's checkpoints: reading, comparing, averaging and packing them."""
