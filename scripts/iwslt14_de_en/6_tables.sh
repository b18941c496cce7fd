#!/usr/bin/env bash
# The paper's tables with all results so far, and Figure 2 for every segmentation that was learned.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "6. tables"
test_significance
"$PYTHON_BIN" "$TOOLS/grid.py" "$HERE/systems.tsv" --work "$WORK"
"$PYTHON_BIN" "$HERE/figure2.py" "$HERE/systems.tsv" --work "$WORK"
