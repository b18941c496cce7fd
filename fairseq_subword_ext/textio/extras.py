"""Imports libraries that only some uses of the package need."""

import importlib
from types import ModuleType


def import_extra(module: str, extra: str) -> ModuleType:
    """Imports a library that comes with an extra of this package.

    Raises:
        ImportError: If it is missing; names the extra to install.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{module} cannot be imported ({error}); install it with "
            f"`pip install 'fairseq_subword_ext[{extra}]'`"
        ) from None
