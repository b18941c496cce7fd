"""Transfer learning: the parent model, its parts, and what a child takes over.

Here live the modules that read a parent's dictionary, architecture and weights and decide which parts a
child trains; the task that registers them is in ``tasks``. Nothing here builds datasets or writes files.
In reading order: ``parent_model``, ``finetune_parts``, ``transfer_start``.
"""
