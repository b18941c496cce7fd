"""The algorithms: learning, applying and undoing subword segmentation. Needs neither fairseq nor torch."""
