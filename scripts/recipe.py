#!/usr/bin/env python3
"""Runs the recipes: see ``recipe.py --help``."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
ENVIRONMENT = SCRIPTS.parent / ".venv"


def use_environment() -> None:
    """Continues with the Python of the checkout's environment if this one lacks the package."""
    if find_spec("fairseq_subword_ext") and find_spec("numpy"):
        return
    python = ENVIRONMENT / "bin" / "python"
    if python.exists() and Path(sys.prefix).resolve() != ENVIRONMENT.resolve():
        os.execv(python, [str(python), __file__, *sys.argv[1:]])
    sys.exit(
        "error: this Python has no fairseq_subword_ext; install it, or make the checkout's environment once with\n"
        f"  bash -c 'source {SCRIPTS}/env.sh; ensure_environment fairseq,recipes,plots'"
    )


if __name__ == "__main__":
    use_environment()
    sys.path.insert(0, str(SCRIPTS))
    from recipes.engine.program import main

    sys.exit(main())
