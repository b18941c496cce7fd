"""Which part of the package may import which: only what lies below it."""

import ast

import pytest
from conftest import PACKAGE

# What each ground floor may import of the package, beside itself.
BELOW = {
    "textio": set(),
    "counting": {"textio", "core", "version"},
    "runtime": {"textio", "subword", "codecs"},
}


def imported_parts(path):
    """The parts of the package that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names = [node.module]
            if node.module == PACKAGE.name:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == PACKAGE.name:
                yield parts[1] if len(parts) > 1 else ""


@pytest.mark.parametrize("floor", sorted(BELOW))
def test_imports_point_downwards(floor):
    modules = sorted((PACKAGE / floor).glob("*.py"))
    assert modules
    for path in modules:
        assert set(imported_parts(path)) <= BELOW[floor] | {floor}, path.name
