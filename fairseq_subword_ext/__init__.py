"""Subword segmentation, contextualized embeddings and transfer learning for Fairseq.

This folder is both the Python package and the folder for ``--user-dir``. Importing it loads neither fairseq
nor torch. If fairseq is already loaded, as when Fairseq's own commands read ``--user-dir``, the encoders,
models and tasks register at once; otherwise call :func:`register`.
"""

import importlib
import sys

if sys.version_info < (3, 9):  # noqa: UP036 - pip refuses older ones, a --user-dir in a checkout does not
    raise ImportError(
        "fairseq_subword_ext needs Python 3.9 or newer, and 3.11 or 3.12 for Fairseq's wheels; this is Python "
        + sys.version.split()[0]
    )

from . import _user_dir
from .version import __version__

# The public names and their modules, which are imported on first use.
_PUBLIC = {
    "MergeTable": "subword.merge_table",
    "Segmenter": "subword.segmenter",
    "Vocabulary": "subword.vocabulary",
    "learn_bpe": "subword.learner",
    "make_codec": "codecs.registry",
    "recover_utf8": "subword.utf8",
    "register_encoding": "codecs.registry",
}

__all__ = ["__version__", "register", *_PUBLIC]


def __getattr__(name: str):
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{_user_dir.PACKAGE}.{_PUBLIC[name]}"), name)


def __dir__():
    return sorted({*globals(), *_PUBLIC})


def register() -> None:
    """Registers every encoder, architecture and task with Fairseq; further calls do nothing.

    Raises:
        ImportError: If fairseq is missing, or another plug-in has taken one of the names.
    """
    from fairseq_subword_ext.fairseq_compat import register_all

    register_all()


if __name__ != _user_dir.PACKAGE:
    _user_dir.alias(__name__)
else:
    __path__ = _user_dir.PluginPath(__path__)
    if "fairseq" in sys.modules:
        register()
