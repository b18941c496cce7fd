"""Transfer learning: the parent model, its parts, and what a child model inherits.

Here live the modules that read a parent's dictionary, architecture and weights and decide which parts a child
trains. Nothing here builds datasets or writes files, and the task that uses these modules is in ``tasks``. In
reading order: ``parent_model``, ``finetune_parts``, ``transfer_start``.
"""
