"""Finds the compiled core, or says how to build it."""

from types import ModuleType

BUILD_COMMAND = "python setup.py build_ext --inplace"


def native_core() -> ModuleType:
    """The extension module.

    Raises:
        ImportError: with the one line that builds it, where it has not been built.
    """
    try:
        from fairseq_subword_ext import _native
    except ImportError as error:
        raise ImportError(
            "the compiled core of fairseq_subword_ext is missing; build it in the folder that has "
            f"setup.py: pip install -e .  (or: {BUILD_COMMAND})"
        ) from error
    return _native
