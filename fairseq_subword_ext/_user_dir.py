"""Makes ``--user-dir`` work in any order of imports and under any name of the folder.

Fairseq imports the folder under the last part of its path, then every file of its ``tasks`` and ``models``
under that name. Registering twice fails, so all names must lead to one package.
"""

import importlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

PACKAGE = "fairseq_subword_ext"


class PluginPath(list):
    """A package's ``__path__`` that recognizes its folder under every name, and registers when asked.

    Fairseq skips a user module that is already in ``sys.modules``, after one check: ``module_path in
    package.__path__``. If the package was imported before Fairseq, that check is its only chance to learn
    that it should register now. The check compares strings, so without this class a symbolic link to the
    same folder would count as another package.
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
    """Makes ``name`` (the name of a link) an alias of the real package and its modules.

    Raises:
        ImportError: If the folder itself, rather than a link to it, was renamed, or another copy of
            the package is loaded.
    """
    real_package = Path(__file__).resolve().parent
    if real_package.name != PACKAGE:
        raise ImportError(
            f"--user-dir names {real_package}, but the folder must be called {PACKAGE}: "
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
            f"--user-dir names {real_package}, but {Path(package.__file__).parent} is already "
            "loaded: use only one copy of the package per process"
        )
    if "fairseq" in sys.modules:
        package.register()
    for loaded, module in list(sys.modules.items()):
        if loaded == PACKAGE or loaded.startswith(f"{PACKAGE}."):
            sys.modules[name + loaded[len(PACKAGE) :]] = module
