"""Subword segmentation, contextualized embeddings and transfer learning for Fairseq.

This folder is both the Python package and what ``--user-dir`` names. Importing it loads neither
fairseq nor torch; where fairseq is loaded already, as it is when Fairseq's own commands read
``--user-dir``, the encoders, models and tasks register at once. Elsewhere call :func:`register`.
"""

import sys

from . import _user_dir
from .version import __version__

__all__ = ["__version__", "register"]


def register() -> None:
    """Registers every encoder, architecture and task with Fairseq; does nothing the second time.

    Raises:
        ImportError: where fairseq is missing, or a name is taken by somebody else's class.
    """
    from fairseq_subword_ext.fairseq_compat import register_all

    register_all()


if __name__ != _user_dir.PACKAGE:
    _user_dir.alias(__name__)
else:
    __path__ = _user_dir.PluginPath(__path__)
    if "fairseq" in sys.modules:
        register()
