"""Translates with exported models, using onnxruntime and numpy but neither Fairseq nor torch.

Modules here may import ``textio``, ``subword`` and ``codecs`` only, since an exported model must run
where nothing else is installed. Reading order: ``export_folder`` (files and settings), ``graph_check``
(safety), ``sessions`` (onnxruntime), ``beam_search``, ``line_coding`` (text to symbols and back),
``translator``.
"""
