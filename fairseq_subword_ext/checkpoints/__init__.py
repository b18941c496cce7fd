"""Finished models as files: what belongs to one, whether its parts fit, and the archive that holds them.

Here live the modules that take a checkpoint with its dictionaries and codes as input and check or write
such files; nothing here trains or registers anything with Fairseq. torch and Fairseq are imported inside
functions, or in modules that are, so that a command's ``--help`` needs neither.

In reading order: ``reading`` (with torch's safety on), ``comparing``, ``averaging``; ``model_parts`` (which files) with ``recipe_run`` (those of a recipe's system),
``languages`` (the pair of a model), ``consistency`` (whether they fit), ``packed_checkpoint`` and
``model_folder`` (what is written), ``manifest`` and ``model_page`` (what is said about it), ``archive``
(one file of all), ``packing`` (the whole). ``exporting`` and the modules beside it write models that
run without Fairseq.
"""
