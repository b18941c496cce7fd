"""Trained models as files: reading, comparing, averaging, packing and exporting them.

Nothing here trains, or registers anything with Fairseq; torch and Fairseq are imported inside functions, or
in modules that are, so that a command's ``--help`` needs neither. Reading order: ``reading`` (safely),
``comparing``, ``fairseq_config``, ``task_state``, ``ensemble_members``, ``averaging``; for packing
``model_parts``, ``recipe_run``, ``languages``, ``consistency``, ``packed_checkpoint``, ``model_folder``,
``manifest``, ``model_page``, ``archive``, ``packing``; for export ``exporting_source``, ``exporting_model``,
``exporting_layers``, ``exporting_graphs``, ``exporting_onnx``, ``exporting``.
"""
