"""Fairseq's configuration: from a task's own options to all of them."""


def whole_config(task_cfg):
    """The configuration that a task's options are part of, or None if they stand alone.

    Fairseq passes a task only its own options; this is the only way to the others, such as the encoder, the
    checkpoint and the name of the input file.
    """
    parent = getattr(task_cfg, "_get_parent", None)
    return None if parent is None else parent()


def option(config, group: str, name: str, default=None):
    """``config.group.name``, or the default if the configuration has no such part."""
    return getattr(getattr(config, group, None), name, default)
