"""Significance tests between a run's systems, and their marks in the tables."""

import fnmatch
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from fairseq_subword_ext.evaluation.score_record import BLEU, TOKENIZED_BLEU, ScoreRecord
from fairseq_subword_ext.evaluation.significance import BOOTSTRAP, RANDOMIZATION, SIGN_CORPUS
from recipes.engine.commands import command
from recipes.engine.run import Run
from recipes.engine.scores import Results
from recipes.engine.steps import Step
from recipes.engine.systems import System

FOLDER = "significance"
TESTS = {
    SIGN_CORPUS: "the sign test of Collins et al. 2005",
    BOOTSTRAP: "paired bootstrap resampling",
    RANDOMIZATION: "approximate randomization",
}

# By column of the table: the file in a system's folder, the reference, and flags of `score`.
Outputs = Mapping[str, Tuple[str, Path, Sequence[str]]]


def baseline_of(
    results: Results, system: System, systems: Sequence[System], column: str, metric: str
) -> Optional[System]:
    """The best scored system whose name matches the row's pattern ``baseline``; not the system itself."""
    matching = [
        (figure.mean, other)
        for other in systems
        if system["baseline"] and fnmatch.fnmatchcase(other.name, system["baseline"])
        for figure in [results.figure(other, column, metric)]
        if figure
    ]
    best = max(matching, key=lambda pair: pair[0], default=(0.0, None))[1]
    return None if best == system else best


def sign_test_steps(
    run: Run, systems: Sequence[System], outputs: Outputs, metric: str, test: str = SIGN_CORPUS
) -> List[Step]:
    """Tests each scored system against its baseline, seed by seed (by default Collins et al. 2005).

    Args:
        run: the run.
        systems: all rows.
        outputs: what is compared.
        metric: by which the best baseline is chosen.
        test: one of ``fairseq-subword score --significance``.
    """
    results = Results(run)
    steps = []
    for system in systems:
        for column, (name, reference, flags) in outputs.items():
            baseline = baseline_of(results, system, systems, column, metric)
            if baseline is None:
                continue
            for seed in results.of(system):
                files = [run.folder(one, seed) / name for one in (baseline, system)]
                if not all(path.exists() for path in files):
                    continue
                written = path_of(run, system, column, seed)
                score = command(
                    "fairseq-subword", "score", "-r", reference, *flags, "--significance", test,
                    "--json", written, f"{baseline.name}={files[0]}", f"{system.name}={files[1]}",
                )  # fmt: skip
                steps.append(
                    Step(
                        f"compare {written.stem}",
                        [score],
                        inputs=[*files, reference],
                        outputs=[written],
                    )
                )
    return steps


def path_of(run: Run, system: System, column: str, seed: int) -> Path:
    """The file with a system's tests."""
    return run.work / FOLDER / f"{run.folder(system, seed).name}.{column}.json"


def mark(run: Run, results: Results, system: System, column: str, metric: str) -> str:
    """The mark of a system's score: the weakest over its seeds, and none if they disagree."""
    tested = BLEU if metric == TOKENIZED_BLEU else metric
    marks: List[str] = []
    for seed in results.of(system):
        path = path_of(run, system, column, seed)
        if path.exists():
            tests = ScoreRecord.load(path).significance
            found = [test for test in tests if (test.system, test.metric) == (system.name, tested)]
            marks += [test.mark for test in found[:1]]
    if len({text[:1] for text in marks}) != 1:
        return ""
    return min(marks, key=len)


def descriptions(run: Run, results: Results, systems: Sequence[System], column: str) -> List[str]:
    """What the marks of a column mean: the tests and the baselines."""
    found: Dict[str, Dict[str, None]] = {}
    for system in systems:
        for seed in results.of(system):
            path = path_of(run, system, column, seed)
            if path.exists():
                record = ScoreRecord.load(path)
                test = record.significance[0].test if record.significance else ""
                found.setdefault(TESTS.get(test, test), {})[record.baseline or ""] = None
    return [
        f"{column}: ++ (p < 0.01) and + (p < 0.05) by {test}, against {', '.join(sorted(baselines))}"
        for test, baselines in found.items()
    ]
