#!/usr/bin/env bash
# The paper's tables with all results so far.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
say "6. tables"
echo "Table 2: English-German, newstest2015"
"$PYTHON_BIN" "$TOOLS/table.py" "$HERE/systems.tsv" --work "$WORK" --where pair=en-de
echo
echo "Table 3: English-Russian, newstest2015"
"$PYTHON_BIN" "$TOOLS/table.py" "$HERE/systems.tsv" --work "$WORK" --where pair=en-ru
