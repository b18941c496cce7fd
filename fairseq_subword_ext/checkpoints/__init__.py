"""Finished models as files: reading, comparing, averaging, packing and exporting them."""
