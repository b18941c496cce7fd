"""Everything that depends on the installed Fairseq and torch: registration and safe loading."""

import argparse
import collections
import importlib
import logging
import pkgutil
import typing

from fairseq_subword_ext import replace_unk, tested_versions
from fairseq_subword_ext._user_dir import PACKAGE

logger = logging.getLogger(__name__)

# The sub-packages whose modules register with Fairseq.
REGISTERING_PACKAGES = ("encoders", "models", "tasks")

_registered = False


def register_all() -> None:
    """Imports every registering module, checks Fairseq's registries, and allow-lists checkpoint types.

    Raises:
        ImportError: If fairseq or torch is missing or broken, or another plug-in has taken one of our
            names.
    """
    global _registered
    if _registered:
        return
    try:
        for name in ("fairseq.models", "fairseq.tasks", "fairseq.registry"):
            importlib.import_module(name)
    except Exception as error:  # fairseq 0.12.2 raises a ValueError on Python 3.11 and newer
        reason = " ".join(str(error).split())
        raise ImportError(
            f"fairseq cannot be imported ({reason}); install it with {tested_versions.INSTALL}. "
            f"Tested: {tested_versions.TESTED}."
        ) from error
    warning = tested_versions.untested(tested_versions.installed())
    if warning:
        logger.warning("fairseq_subword_ext: %s", warning)
    allow_checkpoint_types()
    replace_unk.install()
    for name in registering_modules():
        importlib.import_module(name)
    check_registries()
    _registered = True


def registering_modules() -> list:
    """The full names of the modules that register something on import."""
    names = []
    for part in REGISTERING_PACKAGES:
        package = importlib.import_module(f"{PACKAGE}.{part}")
        names += [
            f"{package.__name__}.{entry.name}" for entry in pkgutil.iter_modules(package.__path__)
        ]
    return names


def check_registries() -> None:
    """Checks that Fairseq's registries hold our classes under our names.

    If two tasks or models have the same name, Fairseq silently returns the first, and its own imports
    swallow some errors; a run would then use other code.

    Raises:
        ImportError: If an entry is not ours; lists all such entries.
    """
    from fairseq.models import ARCH_MODEL_REGISTRY
    from fairseq.registry import REGISTRIES
    from fairseq.tasks import TASK_REGISTRY

    kinds = {
        "--bpe": ("encoders", REGISTRIES["bpe"]["registry"]),
        "--arch": ("models", ARCH_MODEL_REGISTRY),
        "--task": ("tasks", TASK_REGISTRY),
    }
    foreign = []
    for flag, (part, registry) in kinds.items():
        names = importlib.import_module(f"{PACKAGE}.{part}").NAMES
        for name in names:
            found = registry.get(name)
            if found is None:
                foreign.append(f"{flag} {name} (missing)")
            elif not found.__module__.startswith(f"{PACKAGE}."):
                foreign.append(f"{flag} {name} ({found.__module__}.{found.__qualname__})")
    if foreign:
        raise ImportError(
            "these names belong to fairseq_subword_ext, but Fairseq has registered something else, "
            f"probably from another plug-in: {', '.join(foreign)}"
        )


def allow_checkpoint_types() -> None:
    """Lets torch >= 2.6 load Fairseq's own checkpoints with ``weights_only`` left on.

    Only data types are listed, none of which runs code chosen by a file. Torch still refuses everything
    else in a checkpoint.
    """
    import torch

    if not hasattr(torch.serialization, "add_safe_globals"):
        return  # torch < 2.4 has no allow-list, and torch < 2.6 does not need one
    torch.serialization.add_safe_globals(
        [argparse.Namespace, *_numpy_types(), *_multi_process_types()]
    )


def _numpy_types() -> list:
    """Numeric arrays and scalars, which Fairseq's meters leave in checkpoints."""
    import numpy

    try:
        from numpy._core import multiarray
    except ImportError:  # numpy 1
        from numpy.core import multiarray
    allowed = [numpy.ndarray, numpy.dtype]
    # numpy 1 and 2 pickle the same functions under different module names, and checkpoints come
    # from both.
    for module in ("numpy.core.multiarray", "numpy._core.multiarray"):
        for function in ("_reconstruct", "scalar"):
            allowed.append((getattr(multiarray, function), f"{module}.{function}"))
    allowed += [
        type(numpy.dtype(name)) for name in ("float64", "float32", "int64", "int32", "bool")
    ]
    return allowed


def _multi_process_types() -> list:
    """The types that Fairseq broadcasts through torch.load when several processes resume a run."""
    from fairseq.distributed.utils import _TensorPlaceholder
    from omegaconf import DictConfig, ListConfig
    from omegaconf.base import ContainerMetadata, Metadata
    from omegaconf.nodes import AnyNode

    return [
        DictConfig,
        ListConfig,
        ContainerMetadata,
        Metadata,
        AnyNode,
        _TensorPlaceholder,
        collections.defaultdict,
        dict,
        list,
        int,
        typing.Any,
    ]
