"""The tasks that register as ``--task``.

Here live the task classes, one per module, and nothing else, since Fairseq imports every file of this folder.
Options, datasets and hooks of generation are in ``data``, what a child takes from its parent in ``transfer``,
what checkpoints store in ``checkpoints``. Read ``multilingual_x_en`` first; ``transfer_x_en`` extends it.
``translation_from_text`` extends Fairseq's own translation task.
"""

NAMES = ("multilingual_x_en", "transfer_x_en", "translation_from_text")
