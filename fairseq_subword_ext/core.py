"""Loads the compiled core, or says how to build it."""

from types import ModuleType

BUILD_COMMAND = "python setup.py build_ext --inplace"


def native_core() -> ModuleType:
    """Returns the extension module.

    Raises:
        ImportError: If it has not been built; the message has the command that builds it.
    """
    try:
        from fairseq_subword_ext import _native
    except ImportError as error:
        raise ImportError(
            "the compiled core of fairseq_subword_ext is missing; build it in the folder that "
            f"contains setup.py: pip install -e .  (or: {BUILD_COMMAND})"
        ) from error
    return _native
