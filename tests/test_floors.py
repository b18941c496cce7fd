"""The layers of the package: each part imports only what lies below it."""

import ast
import re
from pathlib import PurePosixPath

import pytest
from conftest import PACKAGE

# Folders of the package and modules at its root. "" is the package itself (``import fairseq_subword_ext``).
GROUND = {"core", "version"}
LIBRARY = GROUND | {"textio", "counting", "subword", "codecs", "baselines"}
ROOMS = {"encoders", "evaluation", "reports", "checkpoints", "data", "transfer"}

# What each part may import besides itself. Within ROOMS, only what is listed.
MAY_IMPORT = {
    "version": set(),
    "core": {"_native"},
    "tested_versions": {"version"},
    "textio": set(),
    "counting": GROUND | {"textio"},
    "subword": GROUND | {"textio", "counting"},
    "codecs": GROUND | {"textio", "counting", "subword"},
    "baselines": GROUND | {"textio", "counting", "subword", "codecs"},
    "encoders": LIBRARY,
    "evaluation": LIBRARY,
    "reports": LIBRARY | {"evaluation"},
    "data": LIBRARY | {"checkpoints", "replace_unk"},
    "transfer": LIBRARY | {"checkpoints"},
    # Exporting writes what the runtime reads, from a model that must be registered.
    "checkpoints": LIBRARY | {"models", "runtime", "fairseq_compat", "tested_versions", ""},
    "modules": set(),
    "models": {"modules"},
    "runtime": {"textio", "subword", "codecs"},
    "tasks": LIBRARY | ROOMS,
    "cli": LIBRARY | ROOMS | {"runtime", ""},
    "replace_unk": {"baselines"},
    "fairseq_compat": {"_user_dir", "replace_unk", "tested_versions"},
    "_user_dir": set(),
    "__init__": {"_user_dir", "fairseq_compat", "version"},
    "__main__": {"cli"},
}

# Old import paths, which forward to the package.
FORWARDING = {"subword/line_codecs.py"}

CORE = PACKAGE / "clib"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def modules_of(part):
    path = PACKAGE / part
    return sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def imported_parts(path):
    """The parts of the package that a module imports, at the top or inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            # Only the package's own __init__ may be loaded under another name, by --user-dir.
            assert node.level == 0 or path == PACKAGE / "__init__.py", f"{path}: a relative import"
            base = ".".join([PACKAGE.name] * node.level + [node.module] * bool(node.module))
            names = [base]
            if base == PACKAGE.name:
                names = [f"{base}.{alias.name}" for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == PACKAGE.name:
                part = rest.partition(".")[0]
                is_part = (PACKAGE / part).is_dir() or (PACKAGE / f"{part}.py").is_file()
                yield part if is_part or part == "_native" else ""


def test_every_part_has_a_layer():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders | {path.stem for path in PACKAGE.glob("*.py")} == set(MAY_IMPORT)


@pytest.mark.parametrize("part", sorted(MAY_IMPORT))
def test_imports_point_downwards(part):
    for path in modules_of(part):
        name = path.relative_to(PACKAGE).as_posix()
        if name not in FORWARDING:
            above = set(imported_parts(path)) - MAY_IMPORT[part] - {part}
            assert not above, f"{name} imports {sorted(above)}"


def is_binding(path):
    """Whether a file of the C++ core may know Python: by its name or its folder."""
    return "python" in path.parts or path.name.startswith(("bindings", "python_"))


def test_the_core_knows_nothing_of_python():
    sources = [path for path in CORE.rglob("*") if path.suffix in (".cpp", ".h")]
    assert sources
    for path in sources:
        if is_binding(path.relative_to(CORE)):
            continue
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            knows_python = included == "Python.h" or included.startswith("pybind11/")
            knows_python |= is_binding(PurePosixPath(included))
            assert not knows_python, f"{path.relative_to(CORE)} includes {included}"
