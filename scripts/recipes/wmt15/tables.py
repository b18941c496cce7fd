"""Tables 2 and 3: BLEU and chrF3 of single models and ensembles, and unigram F1 of words, beside the paper's."""

from typing import List, Sequence

from recipes.engine.run import Run
from recipes.engine.scores import Results
from recipes.engine.systems import System

from fairseq_subword_ext.textio.tables import Column, Table

# The paper's columns: of the ensemble or of the single model, and the score.
COLUMNS = {
    "BLEU single": (False, "BLEU"),
    "BLEU ens-8": (True, "BLEU"),
    "chrF3 single": (False, "chrF3"),
    "chrF3 ens-8": (True, "chrF3"),
    "F1 all": (True, "F1 all"),
    "F1 rare": (True, "F1 rare"),
    "F1 OOV": (True, "F1 oov"),
}
_TEST = "test"


def results(run: Run, systems: Sequence[System]) -> List[Table]:
    """One table per pair. Without an ensemble, F1 is the single model's, and the row says so."""
    found = Results(run)
    tables = []
    for number in dict.fromkeys(system["table"] for system in systems):
        of_table = [system for system in systems if system["table"] == number]
        rows = [row for system in of_table for row in _rows(found, system)]
        notes = [
            f"{metric}: {signature}"
            for metric in ("BLEU", "chrF3")
            for signature in found.signatures(of_table, metric)
        ]
        notes.append("F1: unigram F1 of Moses' tokens; rare: not among the 50,000 most frequent")
        headings = [Column(name) for name in ("", "", *COLUMNS)]
        title = f"Table {number}: {of_table[0]['pair']}, newstest2015"
        tables.append(Table(f"table{number}", title, headings, rows, notes))
    return tables


def _rows(found: Results, system: System) -> List[List[str]]:
    paper = [system.label, "paper", *(system.figures[name] or "-" for name in COLUMNS)]
    seeds = list(found.of(system))
    if not seeds:
        return [paper, ["", "here: not run", *["-"] * len(COLUMNS)]]
    ensemble = found.ensemble(system).figures.get(_TEST, {})
    cells = []
    for of_ensemble, metric in COLUMNS.values():
        single = not of_ensemble or (metric.startswith("F1") and not ensemble)
        value = found.figure(system, _TEST, metric) if single else ensemble.get(metric)
        cells.append("-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value))  # fmt: skip
    label = "here" if seeds == [1] else f"here, seeds {','.join(map(str, seeds))}"
    if not ensemble:
        label += "; F1 of the single model"
    return [paper, ["", label, *cells]]
