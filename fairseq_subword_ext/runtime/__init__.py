"""Translation with exported models: onnxruntime and numpy, neither Fairseq nor torch.

A folder that ``export-model`` wrote is read by :mod:`.export_folder`, run by :mod:`.sessions`, searched
by :mod:`.beam_search`, and put between two lines of text by :mod:`.translator`.
"""
