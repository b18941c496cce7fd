"""Which recipes there are."""

import importlib
from difflib import get_close_matches
from typing import List

from recipes.engine.commands import SCRIPTS
from recipes.engine.recipe import Recipe

FOLDER = SCRIPTS / "recipes"


def names() -> List[str]:
    """The names of all recipes: the folders here with a ``recipe.py``."""
    return sorted(
        path.parent.name for path in FOLDER.glob("*/recipe.py") if path.parent.name != "engine"
    )


def load(name: str) -> Recipe:
    """A recipe by its name.

    Raises:
        ValueError: If there is none.
    """
    known = names()
    if name not in known:
        near = get_close_matches(name, known, n=3) or known
        raise ValueError(f"no recipe {name!r}; did you mean {', '.join(near)}?")
    return importlib.import_module(f"recipes.{name}.recipe").RECIPE
