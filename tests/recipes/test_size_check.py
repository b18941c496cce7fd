"""The study of sizes: correlations, and the tables in the documentation."""

import importlib
import sys

import pytest
from conftest import ROOT

pytest.importorskip("scipy")


@pytest.fixture(scope="module")
def study():
    sys.path.insert(0, str(ROOT / "scripts" / "benchmarks"))
    return importlib.import_module("size_check")


def made_record():
    """Four sizes; chrF has its maximum at the recommended one."""
    sizes = []
    for step, chrf in enumerate([[30, 32], [40, 40], [20, 22], [10, 10]]):
        measures = {
            "merges": 250 * 2**step,
            "tokens_per_sentence": 8.0 - step,
            "whole_words": 0.1 * step,
            "frequent": {"100": 0.9 - 0.1 * step},
            "frequent_made": {"100": 1.0 - 0.1 * step},
            "renyi_efficiency": [0.7, 0.8, 0.5, 0.4][step],
            "embedding": 1000 * step,
        }
        row = {"merges": measures["merges"], "measures": measures, "chrf": chrf, "bleu": [step]}
        sizes.append(row)
    return {"recommendation": {"merges": 500}, "sizes": sizes}


def test_correlations_by_rank(study):
    found = {row["measure"]: row for row in study.correlations(made_record())}
    assert list(found) == list(study.MEASURES)
    assert found["Rényi efficiency"]["spearman"] == pytest.approx(1)
    assert found["Rényi efficiency"]["kendall"] == pytest.approx(1)
    # Ranks 4 3 2 1 and 3 4 2 1: one of six pairs is the other way round.
    assert found["tokens per sentence"]["spearman"] == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert found["tokens per sentence"]["kendall"] == pytest.approx(4 / 6)
    assert found["whole words"]["kendall"] == pytest.approx(-4 / 6)
    closeness = study.MEASURES["closeness to the recommended size"]
    assert closeness({"merges": 250}, 500) == pytest.approx(closeness({"merges": 1000}, 500))
    assert closeness({"merges": 500}, 500) == 0


def test_tables_replace_what_is_between_the_marks(study, tmp_path):
    record = made_record()
    record["correlations"] = study.correlations(record)
    page = tmp_path / "page.md"
    page.write_text(f"before\n{study.BEGIN}\nold\n{study.END}\nafter\n")
    for _ in range(2):
        study.write_page(page, record)
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"before\n{study.BEGIN}\n\n| Merges |")
        assert text.endswith(f"\n{study.END}\nafter\n") and "old" not in text
        assert "| 250 | 8.0 | 90.0 | 0.700 | 31.0 | 0.0 |" in text
        assert "| Rényi efficiency | +1.00 | +1.00 |" in text
    page.write_text("no marks\n")
    with pytest.raises(ValueError, match="expected the lines"):
        study.write_page(page, record)
