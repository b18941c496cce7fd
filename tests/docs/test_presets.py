"""The table of presets is that of the models that the presets build."""

import json
import sys

import pytest
from conftest import ROOT

pytest.importorskip("fairseq")
sys.path.insert(0, str(ROOT / "docs"))


def test_the_record_of_the_presets():
    import presets

    record = json.loads(presets.RECORD.read_text(encoding="utf-8"))
    assert presets.rows() == record["rows"], "run python docs/presets.py"
