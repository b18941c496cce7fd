"""Writes the page of configuration keys, from the dataclasses of tasks, models and encoders.

A key of a dataclass is a flag on the command line (dashes for underscores) and a key of the section
``task``, ``model`` or ``bpe`` under Hydra.
"""

import dataclasses
import enum
import logging
from pathlib import Path
from typing import Optional, Union, get_args, get_origin

from command_pages import escaped, write_if_changed

PAGE = "reference/configuration.md"
INTRODUCTION = """# Configuration keys

Each key is an option of Fairseq's commands (`--embedding-context`) and, under Hydra, a key of its section
(`model.embedding_context`). The keys that a task or model takes over from Fairseq are in Fairseq's
documentation and not repeated here.
"""


def setup(app):
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True}


def write_page(app) -> None:
    path = Path(app.srcdir) / PAGE
    path.parent.mkdir(parents=True, exist_ok=True)
    write_if_changed(path, configuration_page())


def configuration_page() -> str:
    """The page: one section per task, model and encoder, with the keys that this package defines."""
    import fairseq_subword_ext

    fairseq_subword_ext.register()
    logging.getLogger("markdown_it").setLevel(
        logging.WARNING
    )  # Fairseq sets the root logger to DEBUG
    from fairseq.models import ARCH_MODEL_NAME_REGISTRY, MODEL_REGISTRY
    from fairseq.registry import REGISTRIES
    from fairseq.tasks import TASK_DATACLASS_REGISTRY

    from fairseq_subword_ext import encoders, models, tasks

    lines = [INTRODUCTION, "## Tasks", ""]
    for name in tasks.NAMES:
        config = TASK_DATACLASS_REGISTRY[name]
        bases = [
            base
            for base in tasks.NAMES
            if base != name and issubclass(config, TASK_DATACLASS_REGISTRY[base])
        ]
        lines += section(
            f"--task {name}", config, {base: TASK_DATACLASS_REGISTRY[base] for base in bases}
        )
    lines += ["## Models", ""]
    for name in dict.fromkeys(ARCH_MODEL_NAME_REGISTRY[arch] for arch in models.NAMES):
        presets = [arch for arch in models.NAMES if ARCH_MODEL_NAME_REGISTRY[arch] == name]
        lines += section(f"--arch {name}", MODEL_REGISTRY[name].config_class)
        lines += ["All keys of `--arch transformer` work as well. Presets: "]
        lines += [", ".join(f"`{arch}`" for arch in presets) + ".", ""]
    lines += ["## Encoders", ""]
    for name in encoders.NAMES:
        lines += section(f"--bpe {name}", REGISTRIES["bpe"]["dataclass_registry"][name])
    return "\n".join(lines)


def section(title: str, config: type, bases: Optional[dict] = None) -> list:
    """A heading and the keys that this package defines, each with its type, default and help.

    Args:
        title: of the section.
        config: the dataclass.
        bases: name and dataclass of sections whose keys are not repeated.
    """
    lines = [f"### `{title}`", ""]
    keys = [field for field in dataclasses.fields(config) if is_ours(config, field.name)]
    for name, base in (bases or {}).items():
        lines += [f"All keys of `{name}`, and:", ""]
        inherited = {field.name for field in dataclasses.fields(base)}
        keys = [field for field in keys if field.name not in inherited]
    if not keys:
        return [*lines, "No keys of its own.", ""]
    for field in keys:
        default = default_of(field)
        lines.append(f"`{field.name}` ({type_name(field)}{default and f', default {default}'})")
        lines += [f": {escaped(field.metadata.get('help') or 'as in Fairseq')}", ""]
    return lines


def is_ours(config: type, name: str) -> bool:
    """Whether a key was defined, or defined again, outside Fairseq's own classes."""
    for parent in config.__mro__:
        if name in vars(parent).get("__annotations__", {}):
            return not parent.__module__.startswith("fairseq.")
    return False


def type_name(field: dataclasses.Field) -> str:
    """The type as users think of it: the choices of an enumeration, and no Optional."""
    kinds = [kind for kind in get_args(field.type) if kind is not type(None)]
    kind = kinds[0] if get_origin(field.type) is Union and len(kinds) == 1 else field.type
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return ", ".join(f"`{choice.value}`" for choice in kind)
    return str(getattr(kind, "__name__", kind)).replace("typing.", "")


def default_of(field: dataclasses.Field) -> str:
    if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
        return ""
    value = field.default
    if value is dataclasses.MISSING:
        value = field.default_factory()
    value = getattr(value, "value", value)
    return "" if value is None else f"`{value}`"
