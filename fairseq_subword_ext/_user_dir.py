"""Makes ``--user-dir`` work whatever came first and whatever the folder is called on the way in.

Fairseq imports the folder under the name that the path ends in, then every file of its ``tasks``
and ``models`` under that name. Registering twice fails, so there must be one package only.
"""

import importlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

PACKAGE = "fairseq_subword_ext"


class PluginPath(list):
    """A package's ``__path__`` that knows its folder under every name, and registers when asked.

    Fairseq skips a user module that is in ``sys.modules`` already, after one question: ``module_path
    in package.__path__``. That is the only moment at which a package imported earlier, before
    Fairseq was, can learn that its registrations are wanted now. And the question compares strings,
    so that a symbolic link to the same folder would count as another package.
    """

    def __init__(self, paths: Iterable[str]):
        super().__init__(paths)
        self._real = {os.path.realpath(path) for path in self}

    def __contains__(self, path: object) -> bool:
        known = isinstance(path, str) and os.path.realpath(path) in self._real
        if known and "fairseq" in sys.modules:
            sys.modules[PACKAGE].register()
        return known


def alias(name: str) -> None:
    """Makes ``name`` (a link's name) stand for the real package and all that it registers.

    Raises:
        ImportError: If the folder itself, and not a link to it, was renamed, or where another
            copy of the package is loaded.
    """
    real_package = Path(__file__).resolve().parent
    if real_package.name != PACKAGE:
        raise ImportError(
            f"--user-dir names {real_package}, but the folder has to be called {PACKAGE}: "
            "rename it, or use `pip install` and the path that `fairseq-subword user-dir` prints"
        )
    folder = str(real_package.parent)
    sys.path.insert(0, folder)
    try:
        package = importlib.import_module(PACKAGE)
    finally:
        sys.path.remove(folder)
    if Path(package.__file__).resolve().parent != real_package:
        raise ImportError(
            f"--user-dir names {real_package}, but {Path(package.__file__).parent} is loaded "
            "already: use one copy of the package in one process"
        )
    if "fairseq" in sys.modules:
        package.register()
    for loaded, module in list(sys.modules.items()):
        if loaded == PACKAGE or loaded.startswith(f"{PACKAGE}."):
            sys.modules[name + loaded[len(PACKAGE) :]] = module
