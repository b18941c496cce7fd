#!/usr/bin/env python3
"""Runs the recipes: see ``recipe.py --help``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from recipes.engine.program import main

if __name__ == "__main__":
    sys.exit(main())
