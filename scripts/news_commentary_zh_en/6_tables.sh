#!/usr/bin/env bash
# The paper's table with all results so far.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "6. table"
test_significance
"$PYTHON_BIN" "$TOOLS/grid.py" "$HERE/systems.tsv" --work "$WORK"
